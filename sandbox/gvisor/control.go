//go:build linux && (amd64 || arm64)

package gvisor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// controlSocket is where the control server of one sentry listens: gVisor's
// "urpc", one JSON object per call and per answer, with files as SCM_RIGHTS.
//
// It is used from the start of the sentry until Python has been started, and
// then closed and its name removed: when hostile code runs, no control server
// listens any more. Until then its name is in a directory that only we can enter.
type controlSocket struct {
	addr *net.UnixAddr
	conn *net.UnixConn
}

// maxControlReply bounds an answer of the sentry.
const maxControlReply = 64 << 10

// maxControlFiles bounds the files that come with an answer.
const maxControlFiles = 4

// newControl returns the listening socket for a sentry to serve on, and our side
// of it, already connected. Requests wait in the socket until the sentry serves.
func newControl(dir *os.File, id string) (*os.File, *controlSocket, error) {
	// Through the descriptor, because a socket's name has 107 bytes at most.
	name := filepath.Join("/proc/self/fd", strconv.Itoa(int(dir.Fd())), id)
	c := &controlSocket{addr: &net.UnixAddr{Name: name, Net: "unix"}}
	ln, err := net.ListenUnix("unix", c.addr)
	if err != nil {
		return nil, nil, fmt.Errorf("making control socket: %w", err)
	}
	ln.SetUnlinkOnClose(false)
	defer func() { _ = ln.Close() }()
	if err := c.connect(); err != nil {
		return nil, nil, errors.Join(err, os.Remove(name))
	}
	file, err := ln.File()
	if err != nil {
		c.close()
		return nil, nil, fmt.Errorf("making control socket: %w", err)
	}
	return file, c, nil
}

// connect connects if there is no connection: a sentry closes all connections when it
// has restored a snapshot.
func (c *controlSocket) connect() error {
	if c.conn != nil {
		_ = c.conn.Close()
	}
	conn, err := net.DialUnix("unix", nil, c.addr)
	if err != nil {
		return fmt.Errorf("connecting control socket: %w", err)
	}
	c.conn = conn
	return nil
}

// close closes the connection and removes the name.
func (c *controlSocket) close() {
	_ = c.conn.Close()
	_ = os.Remove(c.addr.Name) // what is left goes with the directory
}

// call calls a method with files and waits for its answer, which is decoded into
// result unless that is nil. Files that come back are the caller's.
func (c *controlSocket) call(method string, arg, result any, files ...*os.File) ([]*os.File, error) {
	request, err := json.Marshal(struct {
		Method string `json:"method"`
		Arg    any    `json:"arg"`
	}{method, arg})
	if err != nil {
		return nil, err
	}
	var rights []byte
	if len(files) > 0 {
		fds := make([]int, len(files))
		for i, f := range files {
			fds[i] = int(f.Fd())
		}
		rights = unix.UnixRights(fds...)
	}
	if _, _, err := c.conn.WriteMsgUnix(request, rights, nil); err != nil {
		return nil, fmt.Errorf("calling sentry method %q: %w", method, err)
	}
	got, err := c.reply(result)
	if err != nil {
		closeFiles(got)
		return nil, fmt.Errorf("calling sentry method %q: %w", method, err)
	}
	return got, nil
}

// reply reads one answer. The files it returns are valid even with an error.
func (c *controlSocket) reply(result any) ([]*os.File, error) {
	buf := make([]byte, 4096)
	oob := make([]byte, unix.CmsgSpace(4*maxControlFiles))
	n, oobn, flags, _, err := c.conn.ReadMsgUnix(buf, oob)
	if err != nil {
		return nil, err
	}
	files, err := receivedFiles(oob[:oobn])
	if err != nil {
		return files, err
	}
	if n == 0 {
		return files, io.ErrUnexpectedEOF
	}
	if flags&unix.MSG_CTRUNC != 0 {
		return files, errors.New("more files than expected")
	}
	var answer struct {
		Success bool            `json:"success"`
		Err     string          `json:"err"`
		Result  json.RawMessage `json:"result"`
	}
	rest := io.MultiReader(bytes.NewReader(buf[:n]), io.LimitReader(c.conn, maxControlReply))
	if err := json.NewDecoder(rest).Decode(&answer); err != nil {
		return files, fmt.Errorf("reading answer: %w", err)
	}
	if !answer.Success {
		return files, errors.New(answer.Err)
	}
	if result == nil {
		return files, nil
	}
	return files, json.Unmarshal(answer.Result, result)
}

func receivedFiles(oob []byte) ([]*os.File, error) {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil, err
	}
	var files []*os.File
	for i := range messages {
		fds, err := unix.ParseUnixRights(&messages[i])
		if err != nil {
			continue // not files
		}
		for _, fd := range fds {
			syscall.CloseOnExec(fd)
			files = append(files, os.NewFile(uintptr(fd), "from sentry"))
		}
	}
	return files, nil
}

func closeFiles(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}
