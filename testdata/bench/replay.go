package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// replayCommand makes this program an MCP server on stdio that lists the tools of
// a file and answers every call at once, doing as little as a server can.
const replayCommand = "replay"

// largeTool is the tool that returns 60 KiB of text.
const largeTool = "large"

func replay(file string) error {
	list, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var compact bytes.Buffer // it has to fit on a line
	if err := json.Compact(&compact, list); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	answers := map[string]json.RawMessage{
		"initialize": json.RawMessage(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"replay","version":"1"}}`),
		"tools/list": compact.Bytes(),
		"tools/call": json.RawMessage(`{"content":[{"type":"text","text":"done"}]}`),
		largeTool:    json.RawMessage(`{"content":[{"type":"text","text":` + largeText() + `}]}`),
	}
	out := bufio.NewWriterSize(os.Stdout, 64<<10)
	in := bufio.NewReaderSize(os.Stdin, 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return nil //nolint:nilerr // the client has left
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Name string `json:"name"`
			} `json:"params"`
		}
		if err := json.Unmarshal(line, &m); err != nil || m.ID == nil {
			continue
		}
		result, ok := answers[m.Params.Name]
		if !ok {
			result, ok = answers[m.Method]
		}
		if ok {
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
		} else {
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`+"\n", m.ID)
		}
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
}

// largeText is 60 KiB of lines as tools return them, as a JSON string.
func largeText() string {
	const line = "2026-11-29 the import was started again and has read 12345 lines of 67890\n"
	text, _ := json.Marshal(strings.Repeat(line, largeBytes/len(line)+1)[:largeBytes])
	return string(text)
}
