//go:build linux && (amd64 || arm64)

package rootfs

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Zones that are missing would be an error only for the program that names one.
func TestEveryZoneIsInTheTree(t *testing.T) {
	dir, _, _ := tree(t)
	zones := 0
	err := visit(filepath.Join(dir, zonePath), func(name string, info fs.FileInfo) error {
		if info.IsDir() {
			return nil
		}
		zones++
		text, err := os.ReadFile(filepath.Join(dir, zonePath, name))
		if !bytes.HasPrefix(text, []byte("TZif")) {
			t.Errorf("%q is no zone", name)
		}
		return err
	})
	archive, openErr := zip.NewReader(bytes.NewReader(zoneWheel), int64(len(zoneWheel)))
	if err != nil || openErr != nil {
		t.Fatal(err, openErr)
	}
	listed, err := archive.Open("tzdata/zones") // one name a line
	if err != nil {
		t.Fatal(err)
	}
	names, err := io.ReadAll(listed)
	if want := len(strings.Fields(string(names))); err != nil || zones < want || want < 590 {
		t.Errorf("%d zones in the tree, %d in the list, %v", zones, want, err)
	}
}

func TestNoticeNamesTheZones(t *testing.T) {
	notice, err := os.ReadFile("../../NOTICE")
	if want := "tzdata " + zoneVersion; err != nil || !strings.Contains(string(notice), want) {
		t.Errorf("NOTICE does not name %s, %v", want, err)
	}
}
