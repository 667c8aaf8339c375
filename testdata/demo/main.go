// Command demo runs demo.py with the built program, shows what became of each of
// its calls, and says where the time went. `make demo` builds and starts it, at
// the top of the repository.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

const (
	program = "bin/mcp-code-mode"
	config  = "testdata/demo/config.json"
	code    = "testdata/demo/demo.py"
	log     = "bin/demo.jsonl" // the decision log
	shown   = "tracker__create_issue"
)

// expected are the codes of the refusals that the demo is about.
var expected = []string{"tool_not_allowed", "arguments_invalid", "rule_not_met", "private_data"}

func main() {
	if err := demo(); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func demo() error {
	if err := os.Remove(log); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	// The first run ever prepares the sandbox, and says so; the second is measured.
	if _, _, err := run(os.Stderr, "run", "-c", "pass"); err != nil {
		return err
	}
	_, sandbox, err := run(nil, "run", "-c", "pass")
	if err != nil {
		return err
	}
	stubs, upstreams, err := run(nil, "stubs", "--config", config)
	if err != nil {
		return err
	}
	title("What the model sees: one tool, run_python, and how to call the others, such as")
	printWrapped("  ", stubOf(string(stubs), shown))

	args := []string{"run", "--config", config, "--decision-log", log, code}
	title("What becomes of the calls of one program")
	fmt.Println("  $ " + program + " " + strings.Join(args, " "))
	out, total, err := run(nil, args...)
	if err != nil {
		return err
	}
	took := printCalls(string(out))
	decisions, codes, err := readLog()
	if err != nil {
		return err
	}
	title("Where the time went")
	printTime(sandbox, "a sandbox started, one line run in it, and ended")
	printTime(upstreams, "three servers started, asked for their tools, and ended")
	fmt.Print(took)
	printTime(decisions[len(decisions)/2], fmt.Sprintf("the policy on one call, the median of %d", len(decisions)))
	printTime(total, "all of it; servers and sandbox start side by side")
	fmt.Printf("\nEvery decision is in %s. The rules are in %s and policies.\n", log, config)
	for _, code := range expected {
		if !codes[code] {
			return fmt.Errorf("no call was refused with %s", code)
		}
	}
	return nil
}

// run starts the program, and returns what it printed and how long it took.
// What it says on stderr goes to the writer given, or into the error.
func run(stderr *os.File, args ...string) ([]byte, time.Duration, error) {
	var out, said bytes.Buffer
	cmd := exec.CommandContext(context.Background(), program, args...)
	cmd.Stdout, cmd.Stderr = &out, &said
	if stderr != nil {
		cmd.Stderr = stderr
	}
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return nil, 0, fmt.Errorf("%s: %w\n%s%s", strings.Join(cmd.Args, " "), err, out.Bytes(), said.Bytes())
	}
	return out.Bytes(), time.Since(start), nil
}

// stubOf cuts one function out of a module of stubs.
func stubOf(module, name string) string {
	_, rest, _ := strings.Cut(module, "async def "+name+"(")
	body, _, _ := strings.Cut(rest, "\nasync def ")
	return "async def " + name + "(" + strings.TrimSpace(body)
}

// printCalls prints what the program printed, but for the lines about time,
// which it returns.
func printCalls(out string) string {
	var took strings.Builder
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		var ms float64
		if n, _ := fmt.Sscanf(line, "took %f ms:", &ms); n == 1 {
			_, what, _ := strings.Cut(line, ": ")
			fmt.Fprintf(&took, timeFormat, ms, what)
			continue
		}
		switch word, rest, _ := strings.Cut(line, "  "); word {
		case "allowed":
			fmt.Println("  " + colour("32", word) + " " + rest)
		case "REFUSED":
			fmt.Println("  " + colour("31", word) + " " + rest)
		default:
			printWrapped("          ", strings.TrimSpace(line))
		}
	}
	return took.String()
}

// readLog returns how long each decision took, in order, and the codes given.
func readLog() (took []time.Duration, codes map[string]bool, err error) {
	f, err := os.Open(log)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	codes = map[string]bool{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var entry struct {
			Metrics struct {
				NS time.Duration `json:"timer_rego_query_eval_ns"`
			}
			Result struct{ Denials []struct{ Code string } }
		}
		if err := json.Unmarshal(lines.Bytes(), &entry); err != nil {
			return nil, nil, fmt.Errorf("reading %s: %w", log, err)
		}
		took = append(took, entry.Metrics.NS)
		for _, d := range entry.Result.Denials {
			codes[d.Code] = true
		}
	}
	if len(took) == 0 {
		return nil, nil, fmt.Errorf("%s holds no decision", log)
	}
	slices.Sort(took)
	return took, codes, lines.Err()
}

const timeFormat = "  %8.2f ms  %s\n"

func printTime(d time.Duration, what string) {
	fmt.Printf(timeFormat, float64(d)/float64(time.Millisecond), what)
}

// width is where lines end.
const width = 100

// printWrapped prints lines of text behind an indent, and breaks long ones.
func printWrapped(indent, text string) {
	for line := range strings.Lines(text) {
		line = indent + strings.TrimRight(line, " \n")
		for len(line) > width {
			at := strings.LastIndex(line[:width], " ")
			if at <= len(indent) {
				break
			}
			fmt.Println(line[:at])
			line = indent + line[at+1:]
		}
		fmt.Println(strings.TrimRight(line, " "))
	}
}

func title(text string) { fmt.Println("\n" + colour("1", text)) }

// colour marks text on a terminal, unless NO_COLOR is set.
func colour(code, text string) string {
	info, err := os.Stdout.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
