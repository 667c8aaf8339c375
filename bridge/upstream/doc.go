// Package upstream talks to one wrapped MCP server: it starts it, lists its
// tools, calls them, restarts it when it dies and ends it without leaving
// anything behind.
//
// A wrapped server is foreign code that reads foreign data, so everything it sends is
// treated as hostile and as possibly faulty. Because it may be hostile, every size,
// depth, count, name and wait is bounded here, before other code sees it. Because it
// may be faulty, an error costs only the part that it belongs to and never the
// session: a banner on stdout costs its line, a broken schema its tool, and a repeated
// answer or a crash the call.
//
//	Call ──args, byte for byte──> peer ──> channel ──> the server
//	     <──Result, raw JSON───── peer <── channel <──
//
// A channel is a stream of JSON-RPC messages. For [Options.Command] it is our own, over
// the process's pipes; for [Options.Transport] it is any transport of the MCP SDK. The peer
// pairs answers with calls. Neither turns a server's data into Go values: numbers,
// property order and unknown content types stay exactly as they were sent, and
// what is handed out is valid JSON of bounded size and depth.
//
// Nothing a server can ask of its client is offered (no roots, sampling or
// elicitation), so nothing of that kind is ever parsed.
//
// The package speaks MCP 2026-07-28 (stateless, found by server/discover) and the
// earlier versions, which start with initialize.
package upstream
