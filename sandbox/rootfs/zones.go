//go:build linux && (amd64 || arm64)

package rootfs

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// The time zones are those of the package tzdata of the Python Package Index, as it
// is there: docs/development.md says how to take a newer one.
//
//go:embed tzdata-2026.6-py2.py3-none-any.whl
var zoneWheel []byte

const (
	zoneVersion = "2026.6"
	zoneDigest  = "0a10eec6e13ef16b627fabed9a5f2ba61a62b1c67f327305f4e7e412a70b4aec" // SHA-256 of the wheel

	zonePath = "usr/share/zoneinfo" // where Python's zoneinfo looks
	inWheel  = "tzdata/zoneinfo/"
	maxZone  = 64 << 10 // bytes of one zone; the largest has 4 KiB
)

// unpackZones brings every time zone to its place.
func unpackZones(root string) error {
	if sum := sha256.Sum256(zoneWheel); hex.EncodeToString(sum[:]) != zoneDigest {
		return errors.New("reading the time zones: not the package that is expected")
	}
	archive, err := zip.NewReader(bytes.NewReader(zoneWheel), int64(len(zoneWheel)))
	if err != nil {
		return fmt.Errorf("reading the time zones: %w", err)
	}
	for _, f := range archive.File {
		name, ok := strings.CutPrefix(f.Name, inWheel)
		if !ok || !filepath.IsLocal(name) || f.UncompressedSize64 > maxZone {
			continue
		}
		if err := unpackZone(f, filepath.Join(root, zonePath, name)); err != nil {
			return fmt.Errorf("unpacking the time zone %q: %w", name, err)
		}
	}
	return nil
}

// unpackZone writes a file if it is a zone: beside them lie lists and modules.
func unpackZone(f *zip.File, target string) error {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, maxZone))
	if err != nil || !bytes.HasPrefix(text, []byte("TZif")) {
		return err
	}
	if err := os.MkdirAll(path.Dir(target), 0o755); err != nil {
		return err
	}
	return os.WriteFile(target, text, 0o644)
}
