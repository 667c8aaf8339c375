package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
)

// opaVersion is the OPA release whose capabilities ours are taken from.
const opaVersion = "v1.22.3"

// readsTheClock lists builtins that OPA does not mark nondeterministic although their answer
// depends on today's date: they check how long certificates are valid.
var readsTheClock = []string{
	"crypto.x509.parse_and_verify_certificates",
	"crypto.x509.parse_and_verify_certificates_with_options",
}

// capabilities is what a policy may use: all of OPA, except what is nondeterministic or
// reaches outside. OPA marks those builtins itself (http.send, opa.runtime, net.lookup_ip_addr,
// time.now_ns, rand.intn, uuid.rfc4122, JWT and JSON Schema checks that may fetch or look
// at the clock). `print` and `trace` stay: they are deterministic and go to `policy test` only.
func capabilities() *ast.Capabilities {
	own := *readCapabilities() // whoever changes it changes a copy
	own.Builtins = slices.Clone(own.Builtins)
	return &own
}

var readCapabilities = sync.OnceValue(func() *ast.Capabilities {
	all, err := ast.LoadCapabilitiesVersion(opaVersion)
	if err != nil {
		panic(err) // compiled into OPA; a test loads it
	}
	all.Builtins = slices.DeleteFunc(all.Builtins, func(b *ast.Builtin) bool {
		return b.Nondeterministic || slices.Contains(readsTheClock, b.Name)
	})
	// Empty means no host at all, nil would mean every host.
	all.AllowNet = []string{}
	return all
})

// ownCapabilitiesJSON is what a copy of the pack brings: what it says is known.
var ownCapabilitiesJSON = sync.OnceValues(CapabilitiesJSON)

// CapabilitiesJSON is policies/capabilities.json: what stock OPA must be given
// (`opa check --capabilities`) to refuse what the engine refuses.
func CapabilitiesJSON() ([]byte, error) {
	c := capabilities()
	// ast.Capabilities omits an empty allow_net, and a file without it allows every host.
	doc := struct {
		AllowNet        []string             `json:"allow_net"`
		Builtins        []*ast.Builtin       `json:"builtins"`
		Features        []string             `json:"features"`
		FutureKeywords  []string             `json:"future_keywords"`
		WasmABIVersions []ast.WasmABIVersion `json:"wasm_abi_versions"`
	}{c.AllowNet, c.Builtins, c.Features, c.FutureKeywords, c.WasmABIVersions}
	data, err := json.MarshalIndent(doc, "", "  ")
	return append(data, '\n'), err
}

// capabilities returns what this policy is compiled with: ours, or the narrower ones in its
// own capabilities.json. A file that allows more than ours is an error.
func (t tree) capabilities() (*ast.Capabilities, error) {
	ours := capabilities()
	data, ok := t[capabilitiesFile]
	if same, err := ownCapabilitiesJSON(); !ok || err == nil && bytes.Equal(data, same) {
		return ours, nil
	}
	theirs, err := ast.LoadCapabilitiesJSON(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", capabilitiesFile, err)
	}
	for _, b := range theirs.Builtins {
		if b == nil || !slices.ContainsFunc(ours.Builtins, func(o *ast.Builtin) bool { return sameBuiltin(o, b) }) {
			return nil, fmt.Errorf("%s allows the builtin %q, which no policy may use here", capabilitiesFile, nameOf(b))
		}
	}
	for _, f := range theirs.Features {
		if !slices.Contains(ours.Features, f) {
			return nil, fmt.Errorf("%s allows the unknown feature %q", capabilitiesFile, f)
		}
	}
	for _, k := range theirs.FutureKeywords {
		if !slices.Contains(ours.FutureKeywords, k) {
			return nil, fmt.Errorf("%s allows the unknown keyword %q", capabilitiesFile, k)
		}
	}
	if theirs.AllowNet == nil || len(theirs.AllowNet) > 0 {
		return nil, fmt.Errorf(`%s must say "allow_net": [], because leaving it out allows every host`, capabilitiesFile)
	}
	return theirs, nil
}

func sameBuiltin(a, b *ast.Builtin) bool {
	return a.Name == b.Name && a.Infix == b.Infix && a.Relation == b.Relation && reflect.DeepEqual(a.Decl, b.Decl)
}

func nameOf(b *ast.Builtin) string {
	if b == nil {
		return "null"
	}
	return b.Name
}
