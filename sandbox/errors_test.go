//go:build linux

package sandbox_test

import (
	"strings"
	"testing"
)

// Every error is short enough to be shown whole, and holds what its author needs.
func TestErrorsKeepWhatTheirAuthorNeeds(t *testing.T) {
	s := open(t)
	for _, test := range []struct {
		name, code string
		want       []string // in this order
	}{
		{"a message of 5,000 characters", "x = 1\ny = 2\nraise RuntimeError('begin' + 'x' * 5000 + 'end')", []string{"line 3, in <module>", "RuntimeError: beginxxx", "characters left out", "xend"}},
		{"a message of 5,000 lines", "raise RuntimeError('begin' + 'x\\n' * 5000 + 'end')", []string{"line 1, in <module>", "RuntimeError: beginx", "characters left out", "end"}},
		{"one of several", "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise ValueError('y' * 3000 + 'two') from e", []string{"ZeroDivisionError: division", "line 4", "ValueError: yyy", "two"}},
		{"both long", "try:\n    raise KeyError('k' * 3000 + 'one')\nexcept KeyError as e:\n    raise ValueError('y' * 3000 + 'two') from e", []string{"line 2", "one'", "line 4", "ValueError: yyy", "two"}},
		{"in a group", "async def f(): raise ValueError('z' * 4000 + 'inner')\nasync with asyncio.TaskGroup() as g: g.create_task(f())", []string{"ExceptionGroup", "line 1, in f", "ValueError: zzz", "inner"}},
		{"a line of 5,000 characters", "x = 1\ny = [" + strings.Repeat("1, ", 1700) + "1 / 0]", []string{"line 2, in <module>", "characters left out", "1 / 0]", "ZeroDivisionError"}},
		{"many frames of libraries", "import json\nclass A(dict):\n    def items(self): raise ValueError('mine')\ndef f(n): return f(n - 1) if n else asyncio.run(g())\nasync def g(): return await asyncio.gather(asyncio.wait_for(h(), 5))\nasync def h(): json.loads('{' * 3)\nf(3)", []string{"line 6, in h", "JSONDecodeError"}},
		{"a deep chain", "def f(n):\n    try:\n        1 / n\n        f(n - 1)\n    except Exception as e:\n        raise ValueError('v' * 200) from e\nf(20)", []string{"Traceback", "…", "line 7, in <module>", "ValueError: vvv"}},

		{"a syntax error", "x = 1\ny = = 2", []string{"line 2\n", "    y = = 2\n", "^", "SyntaxError"}},
		{"return outside of a function", "x = 1\nreturn x", []string{"line 2\n", "    return x\n", "^", "SyntaxError"}},
		{"await in a def", "def f():\n    return await g()", []string{"line 2\n", "return await g()\n", "^", "SyntaxError"}},
		{"two globals", "def f():\n    x = 1\n    global x", []string{"line 3\n", "global x\n", "^", "SyntaxError"}},
		{"break outside of a loop", "\n\nbreak", []string{"line 3\n", "break\n", "^", "SyntaxError"}},
		{"tabs", "if 1:\n\tx = 1\n        y = 2", []string{"line 3\n", "y = 2\n", "^", "TabError"}},
		{"indentation", "if 1:\nx = 1", []string{"line 2\n", "x = 1\n", "^", "IndentationError"}},
		{"an open string", "x = 1\ny = 'abc", []string{"line 2\n", "y = 'abc\n", "^", "SyntaxError"}},
		{"an open bracket", "x = (1,\n", []string{"line 1\n", "x = (1,\n", "^", "SyntaxError"}},
		{"a NUL", "x = 1\nprint(2)\x00", []string{"line 2\n", "print(2)␀\n", "        ^", "SyntaxError"}},
		{"a long line", "x = 1\n" + strings.Repeat("y = 1; ", 900) + "y = = 2; " + strings.Repeat("y = 1; ", 900), []string{"line 2\n", "y = = 2;", "^", "SyntaxError"}},
		{"a keyword twice", "f(a=1, a=2)", []string{"line 1\n", "f(a=1, a=2)\n", "^", "SyntaxError"}},
		{"in code of the program's own", "exec('x = = 1')", []string{"line 1, in <module>", "x = = 1\n", "^", "SyntaxError"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			o, err := s.Exec(t.Context(), test.code, echo)
			if err != nil {
				t.Fatal(err)
			}
			rest := o.Error
			for _, want := range test.want {
				_, after, ok := strings.Cut(rest, want)
				if !ok {
					t.Errorf("no %q (in this order) in:\n%s", want, o.Error)
				}
				rest = after
			}
			if len(o.Error) > 2<<10 || strings.Contains(o.Error, "<sandbox>") {
				t.Errorf("%d bytes:\n%s", len(o.Error), o.Error)
			}
		})
	}
}
