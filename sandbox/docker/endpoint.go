package docker

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/docker/cli/cli/connhelper"
	clicontext "github.com/docker/cli/cli/context"
	"github.com/docker/cli/cli/context/store"
	"github.com/docker/docker/client"
	"github.com/docker/go-connections/tlsconfig"

	"github.com/mcp-code-mode/mcp-code-mode/internal/hint"
)

// An endpoint is one place where an engine may answer.
type endpoint struct {
	host   string // as in DOCKER_HOST
	source string // where it was found: `DOCKER_HOST`, `context "colima"`, `socket of Podman`
	tls    *tls.Config
}

const (
	maxConfig   = 1 << 20 // bytes of the docker command's config.json
	dialTimeout = 10 * time.Second
)

// endpoints lists where to look, in the order of the docker command: DOCKER_HOST
// alone, or the chosen context alone, or else the default socket. Only in that
// last case do the sockets of other products follow.
func endpoints() ([]endpoint, error) {
	if host := os.Getenv("DOCKER_HOST"); host != "" {
		ep, err := fromEnvironment(host, "DOCKER_HOST")
		return []endpoint{ep}, err
	}
	name, source, err := currentContext()
	if err != nil {
		return nil, err
	}
	if name != "" && name != "default" {
		ep, err := fromContext(name, source)
		return []endpoint{ep}, err
	}
	first, err := fromEnvironment(client.DefaultDockerHost, "default socket")
	if err != nil {
		return nil, err
	}
	list := []endpoint{first}
	for _, s := range usualSockets() {
		if s.host != first.host {
			list = append(list, s)
		}
	}
	return list, nil
}

// fromEnvironment is an endpoint with the TLS settings of the environment:
// DOCKER_TLS_VERIFY or DOCKER_TLS turn it on, for hosts reached over TCP.
func fromEnvironment(host, source string) (endpoint, error) {
	verify := os.Getenv("DOCKER_TLS_VERIFY") != ""
	secure := verify || os.Getenv("DOCKER_TLS") != ""
	host, err := canonicalHost(host, secure)
	ep := endpoint{host: host, source: source}
	if err != nil || !secure || !strings.HasPrefix(host, "tcp://") {
		return ep, err
	}
	dir := os.Getenv("DOCKER_CERT_PATH")
	if dir == "" {
		dir = configDir()
	}
	existing := func(name string) string {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return ""
		}
		return path
	}
	ep.tls, err = tlsconfig.Client(tlsconfig.Options{
		CAFile: existing("ca.pem"), CertFile: existing("cert.pem"), KeyFile: existing("key.pem"),
		InsecureSkipVerify: !verify,
	})
	if err != nil {
		return ep, fmt.Errorf("reading TLS settings from %q: %w", dir, err)
	}
	return ep, nil
}

// canonicalHost completes a host as the docker command does: a missing scheme
// is tcp, a missing port 2375, or 2376 with TLS.
func canonicalHost(host string, secure bool) (string, error) {
	scheme, address, ok := strings.Cut(strings.TrimSpace(host), "://")
	if !ok {
		scheme, address = "tcp", scheme
	}
	switch scheme {
	case "unix":
		if address == "" {
			return client.DefaultDockerHost, nil
		}
	case "npipe", "ssh":
	case "tcp", "http", "https":
		u, err := url.Parse("tcp://" + address)
		if err != nil {
			return "", fmt.Errorf("reading engine address %q: %w", host, err)
		}
		if u.Port() == "" {
			port := "2375"
			if secure {
				port = "2376"
			}
			u.Host = net.JoinHostPort(u.Hostname(), port)
		}
		return u.String(), nil
	default:
		return "", fmt.Errorf("reading engine address %q: the scheme is none of unix, tcp, ssh, npipe", host)
	}
	return scheme + "://" + address, nil
}

func configDir() string {
	if dir := os.Getenv("DOCKER_CONFIG"); dir != "" {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".docker")
}

// currentContext returns the name of the docker context in force, if any, and
// how it was chosen.
func currentContext() (name, source string, err error) {
	if name := os.Getenv("DOCKER_CONTEXT"); name != "" {
		return name, fmt.Sprintf("context %q of DOCKER_CONTEXT", name), nil
	}
	path := filepath.Join(configDir(), "config.json")
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return "", "", nil
	}
	if err != nil {
		return "", "", fmt.Errorf("reading docker's configuration: %w", err)
	}
	defer f.Close()
	var config struct{ CurrentContext string }
	if err := json.NewDecoder(io.LimitReader(f, maxConfig)).Decode(&config); err != nil && !errors.Is(err, io.EOF) {
		return "", "", fmt.Errorf("reading docker's configuration %q: %w", path, err)
	}
	return config.CurrentContext, fmt.Sprintf("context %q", config.CurrentContext), nil
}

// fromContext reads a context that `docker context create` has made.
func fromContext(name, source string) (endpoint, error) {
	type meta = clicontext.EndpointMetaBase
	config := store.NewConfig(
		func() any { return &map[string]any{} },
		store.EndpointTypeGetter("docker", func() any { return &meta{} }),
	)
	s := store.New(filepath.Join(configDir(), "contexts"), config)
	metadata, err := s.GetMetadata(name)
	if err != nil {
		err = fmt.Errorf("reading docker %s: %w", source, err)
		return endpoint{}, hint.Error(err, "docker context ls shows the contexts there are")
	}
	m, ok := metadata.Endpoints["docker"].(meta)
	if !ok || m.Host == "" {
		return endpoint{}, fmt.Errorf("reading docker %s: it has no docker endpoint", source)
	}
	data, err := clicontext.LoadTLSData(s, name, "docker")
	if err != nil {
		return endpoint{}, fmt.Errorf("reading docker %s: %w", source, err)
	}
	host, err := canonicalHost(m.Host, data != nil || m.SkipTLSVerify)
	ep := endpoint{host: host, source: source}
	if err == nil && strings.HasPrefix(host, "tcp://") {
		ep.tls, err = contextTLS(data, m.SkipTLSVerify)
	}
	if err != nil {
		return ep, fmt.Errorf("reading docker %s: %w", source, err)
	}
	return ep, nil
}

// contextTLS makes TLS settings of what a context stores; nil when it stores
// none.
func contextTLS(data *clicontext.TLSData, skipVerify bool) (*tls.Config, error) {
	if data == nil && !skipVerify {
		return nil, nil
	}
	config := tlsconfig.ClientDefault()
	config.InsecureSkipVerify = skipVerify
	if data != nil && data.CA != nil {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(data.CA) {
			return nil, errors.New("ca.pem holds no certificate")
		}
	}
	if data != nil && data.Cert != nil && data.Key != nil {
		pair, err := tls.X509KeyPair(data.Cert, data.Key)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// absent reports whether the endpoint is a socket that is not there, so that
// asking it is not worth an attempt.
func (e endpoint) absent() bool {
	path, ok := strings.CutPrefix(e.host, "unix://")
	if !ok {
		return false
	}
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// dialer returns how to open a connection, before TLS.
func (e endpoint) dialer() (func(context.Context) (net.Conn, error), error) {
	scheme, address, _ := strings.Cut(e.host, "://")
	var d net.Dialer
	switch scheme {
	case "unix":
		return func(ctx context.Context) (net.Conn, error) { return d.DialContext(ctx, "unix", address) }, nil
	case "npipe":
		return func(ctx context.Context) (net.Conn, error) { return dialPipe(ctx, address) }, nil
	case "ssh":
		helper, err := connhelper.GetConnectionHelper(e.host)
		if err != nil {
			return nil, fmt.Errorf("reading engine address %q: %w", e.host, err)
		}
		return func(ctx context.Context) (net.Conn, error) {
			// The process that makes the connection ends with its context. So the
			// context must last longer than the request that opens the connection.
			return helper.Dialer(context.WithoutCancel(ctx), "", "")
		}, nil
	}
	u, err := url.Parse(e.host)
	if err != nil {
		return nil, fmt.Errorf("reading engine address %q: %w", e.host, err)
	}
	return func(ctx context.Context) (net.Conn, error) { return d.DialContext(ctx, "tcp", u.Host) }, nil
}

// An engine is a connection to an engine's API, and to streams of containers.
type engine struct {
	*client.Client
	endpoint
	dial func(context.Context) (net.Conn, error) // a new connection, after TLS
}

// close drops idle connections. Streams and requests go on.
func (en *engine) close() { _ = en.Client.Close() }

// open prepares a client. Nothing is sent yet.
func (e endpoint) open() (*engine, error) {
	unbounded, err := e.dialer()
	if err != nil {
		return nil, err
	}
	dial := func(ctx context.Context) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, dialTimeout)
		defer cancel()
		return unbounded(ctx)
	}
	transport := &http.Transport{
		TLSClientConfig:     e.tls,
		DisableCompression:  true,
		MaxIdleConns:        32,
		MaxIdleConnsPerHost: 32, // one host only; the default of 2 would reconnect all the time
		IdleConnTimeout:     30 * time.Second,
	}
	host := e.host
	if strings.HasPrefix(host, "ssh://") {
		host = "http://docker.invalid" // never resolved: the dialer ignores it
	}
	c, err := client.NewClientWithOpts(
		client.WithHTTPClient(&http.Client{Transport: transport, CheckRedirect: client.CheckRedirect}),
		client.WithHost(host),
		client.WithDialContext(func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) }),
		client.WithVersionFromEnv(),
		client.WithAPIVersionNegotiation(),
	)
	if err != nil {
		return nil, fmt.Errorf("reading engine address %q: %w", e.host, err)
	}
	transport.DisableCompression = true // WithHost turns compression on for TCP,
	transport.Proxy = nil               // and a proxy, which the streams could not use
	en := &engine{Client: c, endpoint: e, dial: dial}
	if e.tls != nil {
		en.dial = func(ctx context.Context) (net.Conn, error) { return dialTLS(ctx, dial, e) }
	}
	return en, nil
}

func dialTLS(ctx context.Context, dial func(context.Context) (net.Conn, error), e endpoint) (net.Conn, error) {
	conn, err := dial(ctx)
	if err != nil {
		return nil, err
	}
	config := e.tls.Clone()
	if u, err := url.Parse(e.host); err == nil && config.ServerName == "" {
		config.ServerName = u.Hostname()
	}
	secure := tls.Client(conn, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secure, nil
}
