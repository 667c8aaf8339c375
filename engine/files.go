package engine

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/mcp-code-mode/mcp-code-mode/engine/check"
)

// Bounds on a policy, as a directory or as a bundle. Both may come from another person, and a
// bundle is compressed.
const (
	maxPolicyFiles   = 4096
	maxPolicyFile    = 8 << 20  // bytes in one file
	maxPolicyBytes   = 64 << 20 // bytes in all of them
	maxPolicyEntries = 65536    // directory and archive entries looked at
)

// Source says where a policy is. Exactly one of FS and Bundle is set.
type Source struct {
	FS     fs.FS  // a tree of .rego, data.json, data.yaml, schemas/ and capabilities.json
	Bundle string // the path of a bundle, a .tar.gz as `opa build` writes it
	Name   string // what errors put before a file's name, usually the directory; may be empty
}

// Open is the Source for a path that a person gave: a directory or a bundle.
func Open(name string) (Source, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return Source{}, fmt.Errorf("opening the policy: %w", err)
	case info.IsDir():
		return Source{FS: os.DirFS(name), Name: name}, nil
	case info.Mode().IsRegular():
		return Source{Bundle: name, Name: name}, nil
	default:
		return Source{}, fmt.Errorf("opening the policy %q: neither a directory nor a bundle", name)
	}
}

// tree is the files of a policy, read once and bounded. Keys are slash paths from the root.
type tree map[string][]byte

// read reads the files of the policy, and finds those that only look as if they were.
func (s Source) read(ctx context.Context) (t tree, unread []check.Finding, err error) {
	switch {
	case s.FS != nil && s.Bundle == "":
		return s.readDir(ctx, s.FS)
	case s.FS == nil && s.Bundle != "":
		t, err = readBundle(ctx, s.Bundle)
		return t, nil, err
	default:
		return nil, nil, errors.New("a policy is either a directory or a bundle")
	}
}

func (s Source) readDir(ctx context.Context, fsys fs.FS) (tree, []check.Finding, error) {
	t, entries := tree{}, 0
	var unread []check.Finding
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entries++; entries > maxPolicyEntries {
			return fmt.Errorf("more than %d entries", maxPolicyEntries)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if looksLikePolicy(fsys, name, d) {
			unread = append(unread, s.notRead(name))
		}
		if hidden(name) && d.IsDir() {
			return fs.SkipDir
		}
		if d.IsDir() || hidden(name) && !isPolicyFile(name) {
			return nil // also the link ..data of a Kubernetes volume
		}
		if ok, err := readable(fsys, name, d); err != nil || !ok {
			return err
		}
		f, err := fsys.Open(name)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		return t.add(name, f)
	})
	return t, unread, err
}

// readable reports whether an entry is a file of the policy. An entry that could hold policy
// rules and cannot be read is an error: its rules would be missing without a message. A name may
// be a link to a file, as in a Kubernetes volume. Its type is checked before it is opened, because
// opening a pipe may never return.
func readable(fsys fs.FS, name string, d fs.DirEntry) (bool, error) {
	if d.Type().IsRegular() {
		return isPolicyFile(name), nil
	}
	if isPolicyFile(name) {
		if err := staysInside(fsys, name); err != nil {
			return false, err
		}
	}
	info, err := fs.Stat(fsys, name)
	switch {
	case err != nil:
		return false, err
	case info.IsDir():
		return false, fmt.Errorf("%q is a link to a directory, which is not followed: put the directory itself there", name)
	case !isPolicyFile(name):
		return false, nil
	case !info.Mode().IsRegular():
		return false, fmt.Errorf("%q is neither a file nor a link to one", name)
	}
	return true, nil
}

func readBundle(ctx context.Context, name string) (tree, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	zr, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, fmt.Errorf("reading it as .tar.gz: %w", err)
	}
	// Whatever the archive holds, no more than this is decompressed.
	tr := tar.NewReader(io.LimitReader(zr, 2*maxPolicyBytes))
	t := tree{}
	for range maxPolicyEntries {
		header, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading it as .tar.gz: %w", err)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		entry := strings.TrimPrefix(path.Clean("/"+header.Name), "/")
		if ok, err := readableEntry(header.Typeflag, entry); err != nil {
			return nil, err
		} else if !ok {
			continue
		}
		if _, again := t[entry]; again {
			return nil, fmt.Errorf("%q is in it twice", entry)
		}
		if err := t.add(entry, tr); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("more than %d entries", maxPolicyEntries)
}

// readableEntry is readable for an entry of an archive, where links are not followed at all.
func readableEntry(kind byte, name string) (bool, error) {
	switch {
	case kind == tar.TypeDir || hidden(name) && !isPolicyFile(name):
		return false, nil
	case isData(name) && !strings.HasPrefix(path.Base(name), "data."):
		return false, nil // in a bundle data has this name and no other
	case kind == tar.TypeLink || kind == tar.TypeSymlink:
		return false, fmt.Errorf("%q is a link, which is not followed: put the file itself there", name)
	case !isPolicyFile(name):
		return false, nil
	case kind != tar.TypeReg:
		return false, fmt.Errorf("%q is not a file", name)
	}
	return true, nil
}

func (t tree) add(name string, r io.Reader) error {
	if len(t) >= maxPolicyFiles {
		return fmt.Errorf("more than %d files", maxPolicyFiles)
	}
	data, err := io.ReadAll(io.LimitReader(r, maxPolicyFile+1))
	if err != nil {
		return fmt.Errorf("reading %q: %w", name, err)
	}
	if len(data) > maxPolicyFile {
		return fmt.Errorf("%q is larger than %d bytes", name, maxPolicyFile)
	}
	total := len(data)
	for _, other := range t {
		total += len(other)
	}
	if total > maxPolicyBytes {
		return fmt.Errorf("all files together are larger than %d bytes", maxPolicyBytes)
	}
	t[name] = data
	return nil
}

const capabilitiesFile, schemaDir, manifestFile = "capabilities.json", "schemas", ".manifest"

// isPolicyFile reports whether a file is part of the policy, as `opa eval -d` reads a directory:
// JSON and YAML under any name is data, at the path of its directory.
func isPolicyFile(name string) bool {
	base := path.Base(name)
	switch {
	case name == manifestFile || name == capabilitiesFile:
		return true
	case hidden(name):
		return false
	case isSchema(name):
		return true
	default:
		return strings.HasSuffix(base, ".rego") || strings.HasSuffix(base, casesSuffix) || isData(name)
	}
}

func isData(name string) bool {
	ext := path.Ext(name)
	return (ext == ".json" || ext == ".yaml" || ext == ".yml") && name != capabilitiesFile && !hidden(name) &&
		!strings.HasPrefix(name, schemaDir+"/")
}

func isTest(name string) bool { return strings.HasSuffix(name, "_test.rego") }

func isSchema(name string) bool {
	return strings.HasPrefix(name, schemaDir+"/") && strings.HasSuffix(name, ".json")
}

// hidden reports whether any part of the path starts with a dot.
func hidden(name string) bool {
	return name != "." && slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return strings.HasPrefix(part, ".")
	})
}

// names are the files in order, so that everything that follows is deterministic.
func (t tree) names() []string { return slices.Sorted(maps.Keys(t)) }

// hash covers everything that a decision depends on besides its input: the policy rules, the data
// and the config. Tests, schemas and capabilities change no decision.
func (t tree) hash(config []byte) string {
	h := sha256.New()
	write := func(name string, data []byte) {
		var size [8]byte
		for _, part := range [][]byte{[]byte(name), data} {
			binary.BigEndian.PutUint64(size[:], uint64(len(part)))
			h.Write(size[:])
			h.Write(part)
		}
	}
	for _, name := range t.names() {
		if strings.HasSuffix(name, ".rego") && !isTest(name) || isData(name) {
			write(name, t[name])
		}
	}
	write("config", config)
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
