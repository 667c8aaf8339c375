package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// The columns of the table, beside what is measured and its goal.
const (
	docker = "docker"
	gvisor = "gvisor"
	bare   = "docker run" // one container for each program, and nothing else
	direct = "SDK, direct"
)

var columns = []string{docker, gvisor, bare, direct}

// row is one line of the table.
type row struct {
	what, goal string
	cells      map[string]string
}

// set fills a cell. What misses its goal is marked.
func (r *row) set(column, text string, met bool) {
	if !met {
		text += " ✗"
	}
	r.cells[column] = text
}

// each fills the cells of several columns with the same.
func (r *row) each(columns []string, text string, met bool) {
	for _, c := range columns {
		r.set(c, text, met)
	}
}

// note fills a cell that has no goal.
func (r *row) note(column, text string) { r.set(column, text, true) }

type table struct{ rows []*row }

func (t *table) add(what, goal string) *row {
	r := &row{what, goal, map[string]string{}}
	t.rows = append(t.rows, r)
	return r
}

// write writes the table as Markdown whose columns are aligned.
func (t *table) write(w io.Writer) {
	lines := [][]string{append([]string{"", "goal"}, columns...)}
	for _, r := range t.rows {
		line := []string{r.what, r.goal}
		for _, c := range columns {
			line = append(line, r.cells[c])
		}
		lines = append(lines, line)
	}
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for n, line := range lines {
		for i, cell := range line {
			fmt.Fprintf(w, "| %s ", cell+strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)))
		}
		fmt.Fprintln(w, "|")
		if n == 0 {
			for _, width := range widths {
				fmt.Fprint(w, "|"+strings.Repeat("-", width+2))
			}
			fmt.Fprintln(w, "|")
		}
	}
}
