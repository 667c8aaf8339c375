package record

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Upload says where lines are sent: to a service that takes OPA's decision logs, as JSON
// arrays of events, gzipped. Lines wait on disk until the service has taken them, and are
// sent again until it has; a service may get some of them twice. When too many wait, no
// more are recorded.
type Upload struct {
	// URL is posted to. It is https, or http to this machine, or http without a Token.
	// At a service of OPA's kind it ends in /logs.
	URL string
	// Token returns the bearer token, if the service wants one. It is asked for every
	// request, so that a token that was renewed is taken.
	Token func() (string, error)
	// Dir is where lines wait. It is made for us alone; several processes may share it.
	Dir string
	// MaxBuffer is how much may wait, in bytes; zero means DefaultBuffer.
	MaxBuffer int64
	// Client makes the requests; nil means one with the bounds of this package.
	Client *http.Client
}

const (
	// DefaultBuffer is how much may wait to be sent, in bytes.
	DefaultBuffer = 64 << 20

	chunkSize     = 256 << 10 // bytes of lines sent at once, before they are compressed
	gatherTime    = time.Second
	requestTime   = 30 * time.Second
	minRetry      = 100 * time.Millisecond
	maxRetry      = 30 * time.Second
	lastSendTime  = 3 * time.Second // when the log is closed
	maxAnswerText = 64 << 10        // of an answer that is read so that the connection can be used again
)

func (u *Upload) check() error {
	target, err := url.Parse(u.URL)
	switch {
	case err != nil || target.Host == "" || target.Scheme != "https" && target.Scheme != "http":
		return errors.New("want an address like https://logs.example/logs")
	case target.User != nil:
		return errors.New("want no name or password in the address")
	case target.Scheme == "http" && u.Token != nil && !loopback(target.Hostname()):
		return errors.New("a token is only sent by https, or to this machine")
	case u.Dir == "":
		return errors.New("there is no directory for what waits to be sent")
	}
	return nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (l *Log) startUpload() error {
	u := *l.opts.Upload
	if err := u.check(); err != nil {
		return fmt.Errorf("uploading the decision log to %q: %w", withoutSecrets(u.URL), err)
	}
	if u.MaxBuffer == 0 {
		u.MaxBuffer = DefaultBuffer
	}
	if u.Client == nil {
		u.Client = &http.Client{Timeout: requestTime}
	}
	client := *u.Client
	// A service that moved is not followed: the token is for the address that was given.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	u.Client = &client
	waiting, err := openSpool(u.Dir, u.MaxBuffer)
	if err != nil {
		return fmt.Errorf("opening the buffer of the decision log's upload: %w", err)
	}
	ctx, giveUp := context.WithCancel(context.Background())
	l.spool = waiting
	l.send = &uploader{
		upload: u, spool: waiting, log: l.opts.Logger, chunk: chunkSize,
		giveUp: giveUp, closing: make(chan struct{}), ended: make(chan struct{}),
	}
	go l.send.run(ctx)
	return nil
}

// withoutSecrets is an address without what may be a secret in it.
func withoutSecrets(address string) string {
	before, _, _ := strings.Cut(address, "?")
	if _, host, ok := strings.Cut(before, "@"); ok {
		return host
	}
	return before
}

// uploader sends what is in a spool.
type uploader struct {
	upload  Upload
	spool   *spool
	log     *slog.Logger
	giveUp  context.CancelFunc // ends the request under way
	closing chan struct{}      // closed when no other is to be begun
	ended   chan struct{}      // closed when run has returned
	failed  int                // attempts since the last one that went well
	chunk   int64              // bytes sent at once; less after a service found that too large
}

func (u *uploader) run(ctx context.Context) {
	defer close(u.ended)
	for closing := false; !closing; {
		select {
		case <-u.spool.wake:
		case <-u.closing:
		}
		for wait := gatherTime; wait > 0 && !closing; {
			select {
			case <-time.After(wait):
			case <-u.closing:
				closing = true
			}
			wait = u.sendAll(ctx)
			if closing && wait > 0 {
				u.log.Warn("not all of the decision log was sent; the next start sends the rest", "directory", u.upload.Dir)
			}
		}
	}
}

// sendAll sends what waits, and returns after how long to try again when that failed.
func (u *uploader) sendAll(ctx context.Context) time.Duration {
	for {
		lines, err := u.spool.next(u.chunk)
		if err == nil && len(lines) == 0 {
			return 0
		}
		if err == nil {
			err = u.post(ctx, lines)
		}
		var refused *statusError
		if errors.As(err, &refused) && refused.status == http.StatusRequestEntityTooLarge && bytes.Count(lines, []byte("\n")) > 1 {
			u.chunk = int64(len(lines)) / 2
			continue
		}
		if err != nil {
			return u.retry(err)
		}
		u.spool.done(len(lines))
		if u.failed > 0 {
			u.log.Info("the decision log is sent again", "url", withoutSecrets(u.upload.URL))
		}
		u.failed = 0
	}
}

// retry says what went wrong, now and then, and how long to wait.
func (u *uploader) retry(err error) time.Duration {
	if u.failed%10 == 0 {
		u.log.Warn("the decision log is not sent; it is tried again", "url", withoutSecrets(u.upload.URL),
			"tried", u.failed+1, "error", err)
	}
	wait := min(minRetry<<min(u.failed, 20), maxRetry)
	u.failed++
	return wait/2 + rand.N(wait/2+1)
}

type statusError struct{ status int }

func (e *statusError) Error() string {
	return fmt.Sprintf("the service answers %d %s", e.status, http.StatusText(e.status))
}

// post sends lines as one array. Whatever is not a success is an error: nothing was taken.
func (u *uploader) post(ctx context.Context, lines []byte) error {
	body, err := pack(lines)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, u.upload.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Content-Encoding", "gzip")
	if u.upload.Token != nil {
		token, err := u.upload.Token()
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := u.upload.Client.Do(request)
	if err != nil {
		var at *url.Error
		if errors.As(err, &at) {
			err = at.Err // the address may hold a secret
		}
		return err
	}
	defer response.Body.Close()
	_, _ = io.CopyN(io.Discard, response.Body, maxAnswerText)
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return &statusError{response.StatusCode}
	}
	return nil
}

// pack makes a gzipped JSON array of lines.
func pack(lines []byte) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	between := byte('[')
	for line := range bytes.Lines(lines) {
		if _, err := z.Write([]byte{between}); err != nil {
			return nil, err
		}
		if _, err := z.Write(bytes.TrimSuffix(line, []byte("\n"))); err != nil {
			return nil, err
		}
		between = ','
	}
	if _, err := z.Write([]byte("]")); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// close sends what it can in lastSendTime. What is left is kept.
func (u *uploader) close() error {
	close(u.closing)
	defer u.giveUp()
	defer time.AfterFunc(lastSendTime, u.giveUp).Stop()
	<-u.ended
	return u.spool.close()
}
