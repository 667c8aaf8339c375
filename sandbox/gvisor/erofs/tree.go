package erofs

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// node is one file of the image.
type node struct {
	id     uint32 // inode number
	path   string // relative to the tree's root
	mode   uint16
	links  uint16
	size   int64
	block  uint32 // first data block
	data   []byte // directory blocks or a link's target; nil for files
	parent *node
	names  []entry // of a directory, sorted bytewise, with "." and ".."
}

// entry is one name in a directory.
type entry struct {
	name string
	node *node
}

func (n *node) isDir() bool     { return n.mode&0o170000 == modeDir }
func (n *node) isRegular() bool { return n.mode&0o170000 == modeRegular }

// scan lists the tree in the order its inodes are numbered: lexical, parents
// before children, the root first.
func scan(dir string) ([]*node, error) {
	var nodes []*node
	dirs := map[string]*node{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if len(nodes) >= maxInodes {
			return fmt.Errorf("writing file system image of %q: more than %d files", dir, maxInodes)
		}
		n, err := newNode(dir, path, d)
		if err != nil {
			return err
		}
		n.id = uint32(len(nodes))
		nodes = append(nodes, n)
		n.parent = n
		if n.path != "." {
			n.parent = dirs[filepath.Dir(n.path)]
			n.parent.names = append(n.parent.names, entry{filepath.Base(n.path), n})
		}
		if n.isDir() {
			dirs[n.path] = n
			n.names = []entry{{".", n}, {"..", n.parent}}
			n.parent.links++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(nodes) == 0 || !nodes[0].isDir() {
		return nil, fmt.Errorf("writing file system image: %q is not a directory", dir)
	}
	return nodes, nil
}

// addMountPoints adds the directories that are missing below the root.
func addMountPoints(nodes []*node, names []string) []*node {
	root := nodes[0]
	for _, name := range names {
		if slices.ContainsFunc(root.names, func(e entry) bool { return e.name == name }) {
			continue
		}
		n := &node{id: uint32(len(nodes)), path: name, mode: modeDir | 0o755, links: 2, parent: root}
		n.names = []entry{{".", n}, {"..", root}}
		root.names = append(root.names, entry{name, n})
		root.links++
		nodes = append(nodes, n)
	}
	return nodes
}

func newNode(dir, path string, d fs.DirEntry) (*node, error) {
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		return nil, err
	}
	info, err := d.Info()
	if err != nil {
		return nil, err
	}
	n := &node{path: rel, links: 1}
	switch mode := info.Mode(); mode.Type() {
	case 0:
		n.mode = modeRegular | 0o644
		n.size = info.Size()
		if mode&0o111 != 0 {
			n.mode |= 0o111
		}
		if n.size > maxFileSize {
			return nil, fmt.Errorf("writing file system image: %q is over %d bytes", rel, maxFileSize)
		}
	case fs.ModeDir:
		n.mode = modeDir | 0o755
	case fs.ModeSymlink:
		target, err := os.Readlink(path)
		if err != nil {
			return nil, err
		}
		n.mode = modeSymlink | 0o777
		n.data = []byte(target)
		n.size = int64(len(target))
	default:
		return nil, fmt.Errorf("writing file system image: %q is neither a file, a directory nor a link", rel)
	}
	return n, nil
}

// direntBlocks encodes a directory. Each block holds a run of sorted entries
// followed by their names; an entry never crosses a block.
func direntBlocks(n *node) []byte {
	slices.SortFunc(n.names, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	var out bytes.Buffer
	for rest := n.names; len(rest) > 0; {
		fit, size := 0, 0
		for fit < len(rest) && size+direntSize+len(rest[fit].name) <= blockSize {
			size += direntSize + len(rest[fit].name)
			fit++
		}
		block := encodeDirents(rest[:fit])
		rest = rest[fit:]
		out.Write(block)
		if len(rest) > 0 {
			out.Write(make([]byte, blockSize-len(block)))
		}
	}
	return out.Bytes()
}

func encodeDirents(entries []entry) []byte {
	block := make([]byte, direntSize*len(entries), blockSize)
	for i, e := range entries {
		head := block[i*direntSize:]
		binary.LittleEndian.PutUint64(head, uint64(e.node.id))
		binary.LittleEndian.PutUint16(head[8:], uint16(len(block)))
		head[10] = e.node.fileType()
		block = append(block, e.name...)
	}
	return block
}

func (n *node) fileType() byte {
	switch {
	case n.isDir():
		return typeDir
	case n.isRegular():
		return typeRegular
	default:
		return typeSymlink
	}
}
