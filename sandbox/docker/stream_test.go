//go:build linux

package docker

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func frame(kind byte, text string) string {
	header := make([]byte, 8)
	header[0] = kind
	binary.BigEndian.PutUint32(header[4:], uint32(len(text)))
	return string(header) + text
}

func TestStreamTellsOutputFromErrors(t *testing.T) {
	long := strings.Repeat("0123456789", 20_000)
	for _, test := range []struct {
		what, in, out, stderr, err string
	}{
		{"nothing", "", "", "", ""},
		{"output", frame(1, "a") + frame(1, "b"), "ab", "", ""},
		{"both", frame(2, "x") + frame(1, "a") + frame(2, "y") + frame(1, "b") + frame(2, "z"), "ab", "xyz", ""},
		{"empty frames", frame(1, "") + frame(2, "") + frame(1, "a") + frame(1, ""), "a", "", ""},
		{"long frames", frame(2, long) + frame(1, long), long, long[len(long)-4<<10:], ""},
		{"the engine's own error", frame(3, "trouble") + frame(1, "a"), "a", "trouble", ""},
		{"errors that are not UTF-8", frame(2, "\xffx"), "", "\uFFFDx", ""},
		{"cut in a header", frame(1, "a") + "\x01\x00", "a", "", "unexpected EOF"},
		{"an unknown kind", frame(1, "a") + frame(9, "b"), "a", "", "frame of unknown kind 9"},
		{"no frames at all", "HTTP/1.1 500 trouble", "", "", "frame of unknown kind 72"},
	} {
		t.Run(test.what, func(t *testing.T) {
			for name, reader := range map[string]io.Reader{
				"at once": strings.NewReader(test.in), "in halves": iotest.HalfReader(strings.NewReader(test.in)),
				"by bytes": iotest.OneByteReader(strings.NewReader(test.in)),
			} {
				s := newStream(nil)
				s.in = bufio.NewReaderSize(reader, readBuffer)
				var out bytes.Buffer
				_, err := io.CopyBuffer(&out, struct{ io.Reader }{s}, make([]byte, 700))
				if out.String() != test.out || s.stderr.String() != test.stderr {
					t.Errorf("%s: got %d bytes of output, %d of errors", name, out.Len(), len(s.stderr.String()))
				}
				select {
				case <-s.ended:
				default:
					t.Errorf("%s: the end was not noticed", name)
				}
				if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
					t.Errorf("%s: error %v", name, err)
				}
			}
		})
	}
}
