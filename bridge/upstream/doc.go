// Package upstream talks to one wrapped MCP server: it starts it, lists its
// tools, calls them, restarts it when it dies and ends it without leaving
// anything behind.
//
// A wrapped server is code somebody else wrote, reading data somebody else
// again wrote, so everything it sends is treated as hostile and as sloppy at
// once. Hostile: every size, depth, count, name and wait is bounded here, before
// other code sees it. Sloppy: a banner on stdout, a tool with a broken schema, a
// repeated answer or a crash costs the line, the tool or the call it belongs to,
// and never the session.
//
//	Call ──args, byte for byte──> peer ──> channel ──> the server
//	     <──Result, raw JSON───── peer <── channel <──
//
// A channel is a stream of JSON-RPC messages: [Options.Command] gets our own over
// the process's pipes, [Options.Transport] any the MCP SDK can make. The peer
// pairs answers with calls. Neither turns a server's data into Go values: numbers,
// property order and unknown content types stay exactly as they were sent, and
// what is handed out is valid JSON of bounded size and depth.
//
// Nothing a server can ask of its client is offered (no roots, sampling or
// elicitation), so nothing of that kind is ever parsed.
//
// Spoken: MCP 2026-07-28 (stateless, found by server/discover) and the versions
// before it that start with initialize.
package upstream
