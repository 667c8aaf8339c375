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

// control is a connection to the control server of one sentry: gVisor's "urpc",
// one JSON object per call and per answer, with files as SCM_RIGHTS.
//
// It is used from the start of the sentry until the runner has been started,
// and then closed: by the time hostile code runs there is nobody to talk to.
type control struct{ conn *net.UnixConn }

// maxControlReply bounds an answer of the sentry.
const maxControlReply = 64 << 10

// maxControlFiles bounds the files that come with an answer.
const maxControlFiles = 4

// newControl returns the listening socket for a sentry to serve on and a
// connection that already waits in its queue. The socket's name, in dir, is gone
// again when it returns, so nobody else can ever connect.
func newControl(dir *os.File, id string) (*os.File, *control, error) {
	// Through the descriptor, because a socket's name has 107 bytes at most.
	name := filepath.Join("/proc/self/fd", strconv.Itoa(int(dir.Fd())), id)
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
	if err != nil {
		return nil, nil, fmt.Errorf("making control socket: %w", err)
	}
	defer ln.Close() // which unlinks the name
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: name, Net: "unix"})
	if err != nil {
		return nil, nil, fmt.Errorf("connecting control socket: %w", err)
	}
	file, err := ln.File()
	if err != nil {
		conn.Close()
		return nil, nil, fmt.Errorf("making control socket: %w", err)
	}
	return file, &control{conn}, nil
}

// call calls a method with files and waits for its answer, which is decoded into
// result unless that is nil. Files that come back are the caller's.
func (c *control) call(method string, arg, result any, files ...*os.File) ([]*os.File, error) {
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
func (c *control) reply(result any) ([]*os.File, error) {
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
