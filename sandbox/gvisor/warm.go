//go:build linux && (amd64 || arm64)

package gvisor

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// snapshotFormat changes with what is written besides gVisor's own files.
const snapshotFormat = "1"

// warmUp opens the snapshot that sandboxes of this driver start from, and makes
// it first if there is none. Without one they start cold: that is no error.
func (d *Driver) warmUp(ctx context.Context, progress func(string)) error {
	dir, err := cacheDir()
	if err != nil {
		return err
	}
	key, err := d.snapshotKey()
	if err != nil {
		return err
	}
	path := filepath.Join(dir, snapshotPrefix+key)
	if d.opened, err = openSnapshot(path); err == nil {
		touch(path)
		d.warm.Store(d.opened)
		return nil
	}
	if progress != nil {
		progress("preparing fast starts of the sandbox (first time only)")
	}
	temp, err := os.MkdirTemp(dir, stagingPrefix)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }() // renamed by then if all went well
	if err := d.takeSnapshot(ctx, temp); err != nil {
		return err
	}
	if err := replaceDir(temp, path); err != nil {
		return err
	}
	prune(dir)
	if d.opened, err = openSnapshot(path); err != nil {
		return err
	}
	d.warm.Store(d.opened)
	return nil
}

// snapshotKey names the snapshot by all it depends on: the root, the program
// whose kernel it is the state of, what the kernel was told, and the processor
// and kernel of the host.
func (d *Driver) snapshotKey() (string, error) {
	sum := sha256.New()
	argv := bootArgv(bootOptions{cpus: d.cpus.seen(), memory: d.limits.Memory})
	spec, err := json.Marshal(machineSpec(d.limits, d.command))
	if err != nil {
		return "", err
	}
	program, err := programID(d.exe)
	if err != nil {
		return "", err
	}
	host, err := hostID()
	if err != nil {
		return "", err
	}
	for _, part := range []string{snapshotFormat, filepath.Base(d.root.Name()), program, host, strings.Join(argv, "\x00"), string(spec)} {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil))[:32], nil
}

// hostID tells apart hosts between which a snapshot cannot move: their kernel
// and the features of their processor.
func hostID() (string, error) {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return "", err
	}
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "", err
	}
	defer f.Close()
	id := unix.ByteSliceToString(u.Release[:]) + unix.ByteSliceToString(u.Machine[:])
	for lines := bufio.NewScanner(f); lines.Scan(); {
		key, value, ok := bytes.Cut(lines.Bytes(), []byte(":"))
		if !ok {
			break // all processors are taken to be like the first
		}
		switch key := string(bytes.TrimSpace(key)); key {
		case "vendor_id", "cpu family", "model", "stepping", "flags", "CPU implementer", "CPU part", "Features":
			id += "\n" + key + ":" + string(value)
		}
	}
	return id, nil
}

// cooled makes sandboxes start cold from now on, because the snapshot s is broken, and
// lets the next driver make a new one.
func (d *Driver) cooled(s *snapshot, why error) {
	if !d.warm.CompareAndSwap(s, nil) {
		return // another start was faster
	}
	d.log.Warn("starting sandboxes from the beginning: the prepared start does not work", "error", why)
	if err := os.RemoveAll(s.dir); err != nil {
		d.log.Warn("removing a prepared start that does not work", "error", err)
	}
}

// replaceDir moves a directory to its place. What is there already, from another process
// or broken, is removed.
func replaceDir(from, to string) error {
	err := os.Rename(from, to)
	if err == nil || !errors.Is(err, unix.EEXIST) && !errors.Is(err, unix.ENOTEMPTY) {
		return err
	}
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	return os.Rename(from, to)
}
