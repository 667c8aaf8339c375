package upstream

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// versionHeader is what MCP over HTTP asks of every request after the handshake.
const versionHeader = "Mcp-Protocol-Version"

// bounded returns the transport with bounds on what it reads: most bytes for one message. It also sets the headers
// that otherwise only the SDK's own client would set: the protocol version, and the
// parameters of a call that MCP wants in headers. It follows no redirect to another
// server, unless the caller's client has rules of its own. Transports other than the
// SDK's HTTP client are returned unchanged.
func bounded(t mcp.Transport, most int) (mcp.Transport, *atomic.Pointer[string]) {
	version := new(atomic.Pointer[string])
	h, ok := t.(*mcp.StreamableClientTransport)
	if !ok {
		return t, version
	}
	c := *h
	client := http.Client{}
	if c.HTTPClient != nil {
		client = *c.HTTPClient
	}
	if client.Transport == nil {
		client.Transport = http.DefaultTransport
	}
	client.Transport = &roundTripper{next: client.Transport, version: version, most: most}
	if client.CheckRedirect == nil {
		client.CheckRedirect = sameServer
	}
	c.HTTPClient = &client
	if c.MaxEventSize == 0 {
		c.MaxEventSize = most
	}
	c.DisableStandaloneSSE = true // nothing a server starts is of use here
	return &c, version
}

// maxRedirects is how many redirects in a row are followed.
const maxRedirects = 5

// sameServer refuses redirects to another server: such a redirect would send the
// arguments of a call, and the credentials that the caller's client adds, to a place
// that the server chooses.
func sameServer(next *http.Request, via []*http.Request) error {
	first := via[0].URL
	switch {
	case next.URL.Scheme != first.Scheme || !strings.EqualFold(next.URL.Host, first.Host):
		return fmt.Errorf("refusing a redirect from %s://%s to %s://%s", first.Scheme, first.Host, next.URL.Scheme, next.URL.Host)
	case len(via) > maxRedirects:
		return fmt.Errorf("refusing more than %d redirects", maxRedirects)
	}
	return nil
}

type roundTripper struct {
	next    http.RoundTripper
	version *atomic.Pointer[string]
	most    int // bytes of a body
}

// RoundTrip bounds every body except an event stream, whose events the SDK bounds. A
// body over the limit is an error of this request, and the session goes on. If the body
// were cut by its reader instead, the session would end.
func (r *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context()) // a RoundTripper may not change the caller's
	if v := r.version.Load(); v != nil && req.Header.Get(versionHeader) == "" {
		req.Header.Set(versionHeader, *v)
	}
	headers, _ := req.Context().Value(headersKey{}).(map[string]string)
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	resp, err := r.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "text/event-stream" {
		return resp, nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(r.most)+1))
	resp.Body.Close()
	if err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	if len(body) > r.most {
		return nil, &SizeError{max(resp.ContentLength, int64(len(body)))}
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}
