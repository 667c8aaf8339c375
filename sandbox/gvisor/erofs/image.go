package erofs

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
)

// On-disk constants, named as in the kernel's erofs_fs.h.
const (
	blockBits   = 12
	blockSize   = 1 << blockBits
	superOffset = 1024
	superMagic  = 0xe0f5e1e2
	inodeSize   = 32 // compact inode; also the slot an inode number counts
	direntSize  = 12

	modeDir     = 0o040000
	modeRegular = 0o100000
	modeSymlink = 0o120000

	typeRegular = 1
	typeDir     = 2
	typeSymlink = 7
)

// Bounds of what an image may hold. They are far above any CPython tree and
// keep every on-disk field from overflowing.
const (
	maxInodes   = 1 << 16
	maxFileSize = 1 << 30
)

// Write writes an image of the tree rooted at dir to w. Permission bits are
// reduced to the executable bit (0755 or 0644), owners and times are dropped,
// and anything but directories, regular files and symbolic links is an error.
// Each of mountPoints is a name directly below the root that is added as an
// empty directory where the tree has none.
func Write(w io.Writer, dir string, mountPoints ...string) error {
	nodes, err := scan(dir)
	if err != nil {
		return err
	}
	nodes = addMountPoints(nodes, mountPoints)
	if err := place(nodes); err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<20)
	if err := writeMeta(out, nodes); err != nil {
		return err
	}
	for _, n := range nodes {
		if err := n.writeData(out, dir); err != nil {
			return err
		}
	}
	return out.Flush()
}

// place gives every node its data blocks. Blocks 0 (superblock) and the inode
// table come first, then the data of each node in inode order.
func place(nodes []*node) error {
	next := 1 + blocks(int64(len(nodes))*inodeSize)
	for _, n := range nodes {
		if n.isDir() {
			n.data = direntBlocks(n)
			n.size = int64(len(n.data))
		}
		n.block = uint32(next)
		next += blocks(n.size)
		if next > math.MaxUint32 {
			return fmt.Errorf("writing file system image: tree is too large")
		}
	}
	return nil
}

func blocks(size int64) int64 { return (size + blockSize - 1) / blockSize }

// writeMeta writes the superblock's block and the inode table.
func writeMeta(w io.Writer, nodes []*node) error {
	last := nodes[len(nodes)-1]
	total := int64(last.block) + blocks(last.size)

	super := make([]byte, blockSize)
	sb := super[superOffset:]
	le := binary.LittleEndian
	le.PutUint32(sb[0:], superMagic)
	sb[12] = blockBits
	le.PutUint16(sb[14:], 0) // the root directory is inode 0
	le.PutUint64(sb[16:], uint64(len(nodes)))
	le.PutUint32(sb[36:], uint32(total))
	le.PutUint32(sb[40:], 1) // the inode table starts at block 1
	if _, err := w.Write(super); err != nil {
		return err
	}

	table := make([]byte, blocks(int64(len(nodes))*inodeSize)*blockSize)
	for i, n := range nodes {
		n.putInode(table[i*inodeSize:])
	}
	_, err := w.Write(table)
	return err
}

// putInode encodes n as a compact inode with flat plain data.
func (n *node) putInode(b []byte) {
	le := binary.LittleEndian
	le.PutUint16(b[0:], 0) // compact inode, flat plain
	le.PutUint16(b[4:], n.mode)
	le.PutUint16(b[6:], n.links)
	le.PutUint32(b[8:], uint32(n.size))
	le.PutUint32(b[16:], n.block)
	le.PutUint32(b[20:], n.id+1) // st_ino; 0 would look unused
}

// writeData writes n's data and pads it to whole blocks.
func (n *node) writeData(w io.Writer, dir string) error {
	if !n.isRegular() {
		return pad(w, n.data)
	}
	f, err := os.Open(filepath.Join(dir, n.path))
	if err != nil {
		return err
	}
	defer f.Close()
	written, err := io.Copy(w, io.LimitReader(f, n.size+1))
	if err != nil {
		return fmt.Errorf("reading %q: %w", n.path, err)
	}
	if written != n.size {
		return fmt.Errorf("reading %q: it changed while it was read", n.path)
	}
	return zeros(w, written)
}

func pad(w io.Writer, data []byte) error {
	if _, err := w.Write(data); err != nil {
		return err
	}
	return zeros(w, int64(len(data)))
}

// zeros fills up the last block after size bytes.
func zeros(w io.Writer, size int64) error {
	var block [blockSize]byte
	_, err := w.Write(block[:blocks(size)*blockSize-size])
	return err
}

// Check reports an error unless the file is an image of ours in its full length.
// It reads the superblock only.
func Check(f *os.File) error {
	var super [128]byte
	if _, err := f.ReadAt(super[:], superOffset); err != nil {
		return fmt.Errorf("reading superblock: %w", err)
	}
	le := binary.LittleEndian
	if le.Uint32(super[0:]) != superMagic || super[12] != blockBits {
		return errors.New("reading superblock: not an image")
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if want := int64(le.Uint32(super[36:])) * blockSize; info.Size() != want {
		return fmt.Errorf("image has %d bytes instead of %d", info.Size(), want)
	}
	return nil
}
