package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

const (
	descriptionGoal = 12_000 // characters
	perToken        = 4      // characters, roughly
)

// list is the result of tools/list, as far as a model reads it.
type list struct {
	Tools []struct {
		Name, Description string
		InputSchema       json.RawMessage
	}
}

// characters is what a model must read to know the tools.
func (l *list) characters() (n int) {
	for _, t := range l.Tools {
		var schema bytes.Buffer
		if err := json.Compact(&schema, t.InputSchema); err != nil {
			continue
		}
		n += utf8.RuneCountInString(t.Name) + utf8.RuneCountInString(t.Description) + utf8.RuneCount(schema.Bytes())
	}
	return n
}

// descriptions is what the tools of real servers are to a model: as the servers
// list them, and behind us.
func (b *bench) descriptions(ctx context.Context) error {
	files, err := filepath.Glob("testdata/toollists/*.json")
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no lists in testdata/toollists (%w)", err)
	}
	servers := map[string]any{}
	theirs, tools := 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var l list
		if err := json.Unmarshal(text, &l); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		theirs += l.characters()
		tools += len(l.Tools)
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		servers[name] = map[string]any{"command": b.self, "args": []string{replayCommand, file}}
	}
	ours, described, err := b.described(ctx, servers)
	r := b.table.add(fmt.Sprintf("a model reads, of %d tools of %d servers", tools, len(files)), "12,000 characters")
	r.each(b.drivers, fmt.Sprintf("%s (%s tokens)", thousands(described), thousands(ours/perToken)), described <= descriptionGoal)
	r.note(direct, fmt.Sprintf("%s (%s tokens)", thousands(theirs), thousands(theirs/perToken)))
	return err
}

// described wraps servers and returns the length of all that a model reads then,
// and of the description alone.
func (b *bench) described(ctx context.Context, servers map[string]any) (all, description int, err error) {
	text, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		return 0, 0, err
	}
	file := filepath.Join(b.dir, "servers.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return 0, 0, err
	}
	c, err := connect(ctx, b.program(), "serve", "--sandbox", b.drivers[0], "--warm", "0", "--log-level", "error", "--config", file)
	if err != nil {
		return 0, 0, err
	}
	defer c.close()
	raw, _, err := c.ask("tools/list", []byte("{}"))
	if err != nil {
		return 0, 0, err
	}
	var l list
	if err := json.Unmarshal(raw, &l); err != nil || len(l.Tools) != 1 {
		return 0, 0, fmt.Errorf("%d tools: %w", len(l.Tools), err)
	}
	return l.characters(), utf8.RuneCountInString(l.Tools[0].Description), nil
}
