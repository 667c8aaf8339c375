//go:build linux

package docker

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/docker/cli/cli/context/store"
	"github.com/google/go-cmp/cmp"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/rootfs"
)

// cleanEnvironment hides what this machine says about engines.
func cleanEnvironment(t *testing.T) (home string) {
	for _, name := range []string{
		"DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_TLS", "DOCKER_TLS_VERIFY",
		"DOCKER_CERT_PATH", "DOCKER_API_VERSION", "COLIMA_HOME",
	} {
		t.Setenv(name, "")
	}
	cache, err := rootfs.CacheDir() // or Python would be unpacked again
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(rootfs.CacheDirEnv, cache)
	home = t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_RUNTIME_DIR", filepath.Join(home, "run"))
	return home
}

func TestEngineIsLookedForAsTheDockerCommandDoes(t *testing.T) {
	home := cleanEnvironment(t)
	writeContext(t, filepath.Join(home, ".docker"), "colima", "unix:///colima.sock", false, nil)
	writeContext(t, filepath.Join(home, ".docker"), "far", "ssh://me@far", false, nil)
	writeContext(t, filepath.Join(home, "other"), "colima", "tcp://other", true, nil)
	config := func(dir, text string) {
		if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const current = `{"auths": {}, "currentContext": "colima"}`
	for _, test := range []struct {
		what   string
		config string
		env    map[string]string
		want   string // the first place, and how many there are
	}{
		{"nothing set", "", nil, "unix:///var/run/docker.sock (default socket), and others"},
		{"current context", current, nil, `unix:///colima.sock (context "colima")`},
		{"DOCKER_CONTEXT before the current context", current, map[string]string{"DOCKER_CONTEXT": "far"}, `ssh://me@far (context "far" of DOCKER_CONTEXT)`},
		{"DOCKER_HOST before DOCKER_CONTEXT", current, map[string]string{"DOCKER_CONTEXT": "far", "DOCKER_HOST": "unix:///x.sock"}, "unix:///x.sock (DOCKER_HOST)"},
		{"DOCKER_CONTEXT=default", current, map[string]string{"DOCKER_CONTEXT": "default"}, "unix:///var/run/docker.sock (default socket), and others"},
		{"DOCKER_CONFIG", "", map[string]string{"DOCKER_CONFIG": filepath.Join(home, "other"), "DOCKER_CONTEXT": "colima"}, `tcp://other:2376 (context "colima" of DOCKER_CONTEXT), TLS`},
		{"a host without port", "", map[string]string{"DOCKER_HOST": "tcp://far"}, "tcp://far:2375 (DOCKER_HOST)"},
		{"a host without scheme", "", map[string]string{"DOCKER_HOST": "far:1234"}, "tcp://far:1234 (DOCKER_HOST)"},
		{"a host with TLS", "", map[string]string{"DOCKER_HOST": "tcp://far", "DOCKER_TLS_VERIFY": "1"}, "tcp://far:2376 (DOCKER_HOST), TLS verified"},
		{"a host with unverified TLS", "", map[string]string{"DOCKER_HOST": "tcp://[::1]", "DOCKER_TLS": "1"}, "tcp://[::1]:2376 (DOCKER_HOST), TLS"},
		{"a socket needs no TLS", "", map[string]string{"DOCKER_HOST": "unix:///x.sock", "DOCKER_TLS_VERIFY": "1"}, "unix:///x.sock (DOCKER_HOST)"},
		{"a strange scheme", "", map[string]string{"DOCKER_HOST": "ftp://x"}, `error: reading engine address "ftp://x": the scheme is none of unix, tcp, ssh, npipe`},
		{"a context that is not there", "", map[string]string{"DOCKER_CONTEXT": "nope"}, `error: reading docker context "nope" of DOCKER_CONTEXT: context "nope": context not found`},
		{"broken configuration", "{", nil, "error: reading docker's configuration"},
	} {
		t.Run(test.what, func(t *testing.T) {
			config(filepath.Join(home, ".docker"), test.config)
			for name, value := range test.env {
				t.Setenv(name, value)
			}
			if got := firstEndpoint(); !strings.HasPrefix(got, test.want) || !strings.HasPrefix(test.want, "error") && got != test.want {
				t.Errorf("got %s\nwant %s", got, test.want)
			}
		})
	}
}

func firstEndpoint() string {
	list, err := endpoints()
	if err != nil {
		return "error: " + err.Error()
	}
	text := fmt.Sprintf("%s (%s)", list[0].host, list[0].source)
	if c := list[0].tls; c != nil && !c.InsecureSkipVerify {
		text += ", TLS verified"
	} else if c != nil {
		text += ", TLS"
	}
	if len(list) > 1 {
		text += ", and others"
	}
	return text
}

// writeContext makes a context as `docker context create` does.
func writeContext(t *testing.T, dir, name, host string, skipVerify bool, files map[string][]byte) {
	t.Helper()
	s := store.New(filepath.Join(dir, "contexts"), store.NewConfig(func() any { return &map[string]any{} }))
	err := s.CreateOrUpdate(store.Metadata{Name: name, Metadata: map[string]any{"Description": "x"}, Endpoints: map[string]any{
		"docker": map[string]any{"Host": host, "SkipTLSVerify": skipVerify},
	}})
	if err == nil && files != nil {
		err = s.ResetEndpointTLSMaterial(name, "docker", &store.EndpointTLSData{Files: files})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A socket of another product is found, and the engine behind it is the real one.
func TestUsualSocketsAreFound(t *testing.T) {
	real := realSocket(t)
	for path, product := range map[string]string{
		"run/docker.sock":                         "socket of rootless Docker",
		".docker/desktop/docker.sock":             "socket of Docker Desktop",
		".rd/docker.sock":                         "socket of Rancher Desktop",
		".colima/default/docker.sock":             "socket of Colima",
		".orbstack/run/docker.sock":               "socket of OrbStack",
		"run/podman/podman.sock":                  "socket of Podman",
		".config/colima/default/x/../docker.sock": "socket of Colima",
	} {
		home := cleanEnvironment(t)
		socket := filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(socket), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(real, socket); err != nil {
			t.Fatal(err)
		}
		var found []string
		list, err := endpoints()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list[1:] {
			if e.absent() || strings.HasPrefix(e.host, "unix:///run/") {
				continue
			}
			en, _, err := e.connect(t.Context(), probeTimeout)
			if err != nil {
				t.Error(err)
				continue
			}
			en.close()
			found = append(found, e.source)
		}
		if diff := cmp.Diff([]string{product}, found); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

// realSocket is the path of the engine's socket.
func realSocket(t *testing.T) string {
	t.Helper()
	path, ok := strings.CutPrefix(needEngine(t).Endpoint, "unix://")
	if !ok {
		t.Skip("the engine is not on a socket")
	}
	return path
}

func TestProbeNamesEveryPlaceItTried(t *testing.T) {
	home := cleanEnvironment(t)
	t.Setenv("DOCKER_HOST", "unix://"+home+"/no.sock")
	_, err := Probe(t.Context())
	wantError(t, err, "finding a Docker engine: none answers at unix://"+home+"/no.sock (DOCKER_HOST): file does not exist", "start the engine", "--sandbox gvisor")

	silent, err := net.Listen("unix", filepath.Join(home, "silent.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	t.Setenv("DOCKER_HOST", "unix://"+silent.Addr().String())
	_, err = Probe(t.Context())
	wantError(t, err, "silent.sock (DOCKER_HOST): no answer in time")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = Probe(ctx); err == nil {
		t.Error("no error with a cancelled context")
	}
}

func TestProbeDescribesTheEngine(t *testing.T) {
	e := needEngine(t)
	if e.Endpoint == "" || e.Source == "" || e.Version == "" || e.APIVersion == "" || e.OS != "linux" || e.Arch == "" || e.Runtime == "" || len(e.Runtimes) == 0 {
		t.Errorf("got %+v", e)
	}
}

// TLS to the real engine, settings from the environment and from a context.
func TestEngineOverTLS(t *testing.T) {
	socket := realSocket(t)
	home := cleanEnvironment(t)
	files := certificates(t)
	host := tlsProxy(t, socket, files)
	dir := filepath.Join(home, "certificates")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("environment", func(t *testing.T) {
		t.Setenv("DOCKER_HOST", host)
		t.Setenv("DOCKER_TLS_VERIFY", "1")
		t.Setenv("DOCKER_CERT_PATH", dir)
		works(t, newDriver(t, Options{}))
	})
	t.Run("context", func(t *testing.T) {
		writeContext(t, filepath.Join(home, ".docker"), "secure", host, false, files)
		t.Setenv("DOCKER_CONTEXT", "secure")
		works(t, newDriver(t, Options{}))
	})
	t.Run("without certificates", func(t *testing.T) {
		t.Setenv("DOCKER_HOST", host)
		t.Setenv("DOCKER_TLS_VERIFY", "1")
		_, err := Probe(t.Context())
		wantError(t, err, "certificate")
	})
}

func TestEngineOverSSH(t *testing.T) {
	socket := realSocket(t)
	home := cleanEnvironment(t)
	script := fmt.Sprintf("#!/bin/sh\nDOCKER_TEST_ROLE=ssh DOCKER_TEST_TARGET=unix://%s exec %s\n", socket, os.Args[0])
	if err := os.WriteFile(filepath.Join(home, "ssh"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", home+":"+os.Getenv("PATH"))
	t.Setenv("DOCKER_HOST", "ssh://somebody@somewhere")
	works(t, newDriver(t, Options{}))
}

// certificates makes an authority and one certificate for both sides.
func certificates(t *testing.T) map[string][]byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return map[string][]byte{
		"ca.pem": cert, "cert.pem": cert,
		"key.pem": pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private}),
	}
}

// tlsProxy puts TLS, with certificates required of clients, before a socket.
func tlsProxy(t *testing.T, socket string, files map[string][]byte) (host string) {
	t.Helper()
	pair, err := tls.X509KeyPair(files["cert.pem"], files["key.pem"])
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(files["ca.pem"])
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{pair}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer client.Close()
				server, err := net.Dial("unix", socket)
				if err != nil {
					return
				}
				defer server.Close()
				go func() { _, _ = io.Copy(client, server); client.Close() }()
				_, _ = io.Copy(server, client)
			}()
		}
	}()
	return "tcp://" + l.Addr().String()
}
