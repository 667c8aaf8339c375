package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-code-mode/mcp-code-mode/bridge"
	"github.com/mcp-code-mode/mcp-code-mode/engine"
	"github.com/mcp-code-mode/mcp-code-mode/internal/cut"
	"github.com/mcp-code-mode/mcp-code-mode/internal/strictjson"
)

// MCP returns the MCP server, not yet connected: connect it to any transport. Every call
// returns the same one.
func (s *Server) MCP() *mcp.Server { return s.mcp }

func (s *Server) newMCP() *mcp.Server {
	server := mcp.NewServer(
		&mcp.Implementation{Name: "mcp-code-mode", Title: "Code mode", Version: s.opts.Version},
		&mcp.ServerOptions{
			Instructions: instructions,
			Logger:       s.log,
			Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		})
	server.AddReceivingMiddleware(s.waitForTools)
	return server
}

// waitForTools holds the requests that need the wrapped servers until those
// have started. The handshake is not among them: it is answered at once.
func (s *Server) waitForTools(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method == "tools/list" || method == "tools/call" {
			if err := s.Ready(ctx); err != nil {
				if ctx.Err() == nil { // the start failed
					defer s.tell.Do(func() { close(s.told) })
				}
				return nil, err
			}
		}
		return next(ctx, method, req)
	}
}

var (
	inputSchema = json.RawMessage(`{"type":"object","properties":{"code":{"type":"string",` +
		`"description":"Python source. Tools are async functions: await them. Print what you want to see."}},` +
		`"required":["code"],"additionalProperties":false}`)
	outputSchema = json.RawMessage(`{"type":"object","properties":{` +
		`"stdout":{"type":"string"},"error":{"anyOf":[{"type":"string"},{"type":"null"}]},` +
		`"truncated":{"type":"boolean"},"stopped":{"type":"boolean"},` +
		`"refused":{"type":"array","items":{"type":"object","properties":{` +
		`"tool":{"type":"string"},"code":{"type":"string"},"count":{"type":"integer"}},"required":["tool","code","count"]}},` +
		`"calls":{"type":"array","description":"What went out before the code failed or was stopped: do not repeat what is done. ` +
		`Of unanswered calls it is not known whether they were carried out.","items":{"type":"object","properties":{` +
		`"tool":{"type":"string"},"count":{"type":"integer"},"failed":{"type":"integer"},"unanswered":{"type":"integer"},` +
		`"read_only":{"type":"boolean"}},"required":["tool","count","failed","unanswered","read_only"]}}},` +
		`"required":["stdout","error","truncated","stopped"]}`)
)

func (s *Server) addTool(b *bridge.Bridge) {
	s.mcp.AddTool(&mcp.Tool{
		Name:         "run_python",
		Title:        "Run Python",
		Description:  s.describe(b),
		InputSchema:  inputSchema,
		OutputSchema: outputSchema,
	}, s.runPython)
}

// runPython is the handler of the one tool. An invalid input is a tool error, so that
// the model can read it and try again.
func (s *Server) runPython(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	code, err := decodeCode(req.Params.Arguments)
	if err != nil {
		return toolError(err.Error()), nil
	}
	progress := newProgress(ctx, req)
	result, err := s.run(ctx, s.askerOf(req), code, progress.observer())
	progress.close()
	switch {
	case errors.Is(err, ErrCodeTooLarge):
		return toolError(err.Error()), nil
	case err != nil:
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s.log.Error("run not started", "error", err)
		return toolError(noSandbox(err)), nil
	}
	text, err := result.JSON()
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: string(text)}},
		StructuredContent: json.RawMessage(text),
	}, nil
}

// askerOf is who sent a request, as the request or its connection says. It proves nothing.
func (s *Server) askerOf(req *mcp.CallToolRequest) asker {
	from := asker{session: s.sessionOf(req.Session)}
	if client := req.ClientInfo(); client != nil {
		from.principal = engine.Principal{
			Client: cut.Head(client.Name, maxClientName), Version: cut.Head(client.Version, maxClientName),
		}
	}
	from.traceParent, _ = req.Params.Meta["traceparent"].(string)
	return from
}

// maxClientName bounds what is kept of a client's name and of its version, in bytes.
const maxClientName = 256

// decodeCode reads run_python's arguments strictly. Its errors are written for
// the model.
func decodeCode(raw json.RawMessage) (string, error) {
	const want = `run_python takes one argument, "code": a string of Python source`
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	if len(raw) > MaxCode*6+1024 { // every byte may be escaped as \u00XX
		return "", ErrCodeTooLarge
	}
	value, err := strictjson.Decode(raw, strictjson.Bounds{Bytes: MaxCode*6 + 1024})
	if err != nil {
		return "", fmt.Errorf("%s; the arguments are not clean JSON: %w", want, err)
	}
	args, ok := value.(map[string]any)
	if !ok {
		return "", errors.New(want)
	}
	for key := range args {
		if key != "code" {
			return "", fmt.Errorf("%s; it has no argument %.40q", want, key)
		}
	}
	code, ok := args["code"].(string)
	switch {
	case args["code"] == nil:
		return "", errors.New(want + "; it is missing")
	case !ok:
		return "", errors.New(want + "; it is not a string")
	case code == "":
		return "", errors.New(want + "; it is empty")
	}
	return code, nil
}

func toolError(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}
