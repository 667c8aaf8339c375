package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/google/uuid"
)

// A chain links the lines of one Log: each holds the SHA-256 of the one before it. The
// links are the last three members of a line, so that to check them takes no JSON:
//
//	…,"chain":"6f1c…","seq":2,"prev":"9b0e…"}
//
// prev is over the bytes of the line before, without its newline, links and all. That of
// the first line is empty. Lines of several processes may lie in one file; a process that
// rotates its file goes on with its chain in the next one.
type chain struct {
	id   string
	seq  int64  // of the line written last
	prev string // its hash, hexadecimal
}

// maxLink bounds what link adds to a line, in bytes.
const maxLink = 192

func newChain() chain { return chain{id: uuid.NewString()} }

// link adds the links to an encoded line, which ends in a brace and a newline.
func (c *chain) link(b *bytes.Buffer) {
	b.Truncate(b.Len() - len("}\n"))
	b.WriteString(`,"chain":"`)
	b.WriteString(c.id)
	b.WriteString(`","seq":`)
	b.Write(strconv.AppendInt(b.AvailableBuffer(), c.seq+1, 10))
	b.WriteString(`,"prev":"`)
	b.WriteString(c.prev)
	b.WriteString("\"}\n")
}

// advance makes a line the last one. The line has a newline before and behind it.
func (c *chain) advance(line []byte) {
	c.seq++
	c.prev = hashOf(bytes.Trim(line, "\n"))
}

func hashOf(line []byte) string {
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:])
}

// A Head is the last line of a chain at some time. Who has it from elsewhere knows when the
// end of a log was cut off or written anew.
type Head struct {
	Chain  string // its id
	Seq    int64  // number of the line in it, from 1
	SHA256 string // of the line, hexadecimal
}

// String is the head as ParseHead reads it.
func (h Head) String() string { return fmt.Sprintf("%s %d %s", h.Chain, h.Seq, h.SHA256) }

// ParseHead reads one line of heads.
func ParseHead(line string) (Head, error) {
	var h Head
	n, err := fmt.Sscanf(line, "%s %d %s", &h.Chain, &h.Seq, &h.SHA256)
	if err != nil || n != 3 || !isChainID(h.Chain) || h.Seq < 1 || !isHash(h.SHA256) || h.String() != line {
		return Head{}, fmt.Errorf("want a chain, a number and a SHA-256, as `policy log head` prints them, and not %.80q", line)
	}
	return h, nil
}

// Head returns the line that this log wrote last, if it wrote any.
func (l *Log) Head() (Head, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Head{l.chain.id, l.chain.seq, l.chain.prev}, l.chain.seq > 0
}

// links are what a line says about its place.
type links struct {
	chain string
	seq   int64
	prev  string
}

var linkStart = []byte(`,"chain":"`)

// readLinks reads the links at the end of a line without its newline. Only what link
// writes is taken.
func readLinks(line []byte) (links, bool) {
	at := bytes.LastIndex(line[max(0, len(line)-maxLink):], linkStart)
	if at < 0 {
		return links{}, false
	}
	tail := line[max(0, len(line)-maxLink)+at+len(linkStart):]
	id, tail, ok1 := bytes.Cut(tail, []byte(`","seq":`))
	number, tail, ok2 := bytes.Cut(tail, []byte(`,"prev":"`))
	prev, ok3 := bytes.CutSuffix(tail, []byte(`"}`))
	seq, err := strconv.ParseInt(string(number), 10, 64)
	l := links{string(id), seq, string(prev)}
	ok := ok1 && ok2 && ok3 && err == nil && seq > 0 && strconv.FormatInt(seq, 10) == string(number) &&
		isChainID(l.chain) && (l.prev == "" || isHash(l.prev))
	return l, ok
}

func isChainID(s string) bool {
	id, err := uuid.Parse(s)
	return err == nil && id.String() == s
}

func isHash(s string) bool {
	raw, err := hex.DecodeString(s)
	return err == nil && len(raw) == sha256.Size && hex.EncodeToString(raw) == s
}
