package stub

import "strings"

// Reserved reports whether code in a sandbox already means something else by
// name: a keyword, soft keyword or builtin of Python 3.14, a dunder, or a name
// of the runner's own. A tool can not have such a name.
func Reserved(name string) bool {
	return keywords[name] || softKeywords[name] || builtins[name] || runnerNames[name] || isDunder(name)
}

func isKeyword(name string) bool { return keywords[name] }

// isDunder recognises the names Python keeps for itself. One with an underscore
// more at its end, which is what a tool named like one becomes, is not one.
func isDunder(name string) bool {
	return len(name) > 4 && strings.HasPrefix(name, "__") &&
		strings.HasSuffix(name, "__") && !strings.HasSuffix(name, "___")
}

func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}

// What the runner (sandbox/runner) puts into the namespace of the code.
var runnerNames = words(`ToolError ToolResult TOOLS search_tools asyncio json`)

// keyword.kwlist
var keywords = words(`
False None True and as assert async await break class continue def del elif else except finally
for from global if import in is lambda nonlocal not or pass raise return try while with yield`)

// keyword.softkwlist
var softKeywords = words(`
_ case match type`)

// dir(builtins) without dunders and keywords
var builtins = words(`
ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError
BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError
ConnectionError ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError Ellipsis
EncodingWarning EnvironmentError Exception ExceptionGroup FileExistsError FileNotFoundError
FloatingPointError FutureWarning GeneratorExit IOError ImportError ImportWarning
IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt
LookupError MemoryError ModuleNotFoundError NameError NotADirectoryError NotImplemented
NotImplementedError OSError OverflowError PendingDeprecationWarning PermissionError
ProcessLookupError PythonFinalizationError RecursionError ReferenceError ResourceWarning
RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError SyntaxWarning
SystemError SystemExit TabError TimeoutError TypeError UnboundLocalError UnicodeDecodeError
UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning UserWarning ValueError
Warning ZeroDivisionError _IncompleteInputError abs aiter all anext any ascii bin bool
breakpoint bytearray bytes callable chr classmethod compile complex copyright credits delattr
dict dir divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr
hash help hex id input int isinstance issubclass iter len license list locals map max memoryview
min next object oct open ord pow print property quit range repr reversed round set setattr slice
sorted staticmethod str sum super tuple type vars zip`)
