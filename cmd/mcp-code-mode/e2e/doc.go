// Package e2e holds tests only. They start mcp-code-mode as an MCP client does,
// speak to it over its pipes, break what can break, and count what is left.
//
// Each test runs with every sandbox driver. A driver that does not work on the
// machine is skipped with a loud line, and is an error where CI is true; so are
// the real servers of testdata/servers. What goes on inside of one package is
// tested there: code that attacks its sandbox in sandbox/sandboxtest, the command
// line in cmd/mcp-code-mode, servers that misbehave in bridge/upstream.
//
// The tests need Linux, whose /proc they read. E2E_BIN names a directory, by its
// full path, with programs to test instead of building them: mcp-code-mode,
// toyserver, hostile.
package e2e
