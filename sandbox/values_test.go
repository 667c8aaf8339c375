//go:build linux

package sandbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-code-mode/mcp-code-mode/sandbox/wire"
)

// results are what the tools of these tests return, by name.
var results = map[string]struct {
	is    wire.Returns
	reply wire.Reply
}{
	"issues": {wire.Returns{Kind: "object"}, wire.Reply{
		Text: "Found 2 issues.", Content: nil, Data: json.RawMessage(`{"issues":[{"id":1},{"id":12345678901234567890}],"sum":3,"text":"inner","items":[7],"größe":0.1}`),
	}},
	"repeated": {wire.Returns{Kind: "object"}, wire.Reply{Text: "{\n \"a\": 1\n}", Structured: true}},
	"bare":     {wire.Returns{Kind: "object"}, wire.Reply{Content: json.RawMessage(`[]`), Data: json.RawMessage(`{"a":1}`)}},
	"listed":   {wire.Returns{Kind: "array"}, wire.Reply{Text: `[3,1,2]`, Structured: true}},
	"wrapped":  {wire.Returns{Kind: "array", Field: "result"}, wire.Reply{Text: `3`, Content: json.RawMessage(`[{"type":"text","text":"3"},{"type":"text","text":"1"}]`), Data: json.RawMessage(`{"result":[3,1]}`)}},
	"number":   {wire.Returns{Kind: "number", Field: "result"}, wire.Reply{Text: `5`, Data: json.RawMessage(`{"result":5}`)}},
	"float":    {wire.Returns{Kind: "number", Field: "result"}, wire.Reply{Text: `0.5`, Data: json.RawMessage(`{"result":0.5}`)}},
	"truth":    {wire.Returns{Kind: "boolean", Field: "result"}, wire.Reply{Text: `false`, Data: json.RawMessage(`{"result":false}`)}},
	"nothing":  {wire.Returns{Kind: "any", Field: "result"}, wire.Reply{Content: json.RawMessage(`[]`), Data: json.RawMessage(`{"result":null}`)}},
	"said":     {wire.Returns{Kind: "string", Field: "result"}, wire.Reply{Text: `{"temp":21}`, Data: json.RawMessage(`{"result":"{\"temp\":21}"}`)}},
	"spoken":   {wire.Returns{Kind: "string", Field: "result"}, wire.Reply{Text: `hello`, Data: json.RawMessage(`{"result":"hello"}`)}},
	"read":     {wire.Returns{Kind: "string", Field: "content"}, wire.Reply{Text: `[{"name":"x"}]`, Data: json.RawMessage(`{"content":"[{\"name\":\"x\"}]"}`)}},

	"plain":   {wire.Returns{}, wire.Reply{Text: "line one\nline two"}},
	"object":  {wire.Returns{Kind: "text"}, wire.Reply{Text: `{"name": "Ada", "tags": ["x"], "n": 12345678901234567890}`}},
	"array":   {wire.Returns{Kind: "text"}, wire.Reply{Text: ` [{"name": "Ada"}, {"name": "Bob"}]`}},
	"spelt":   {wire.Returns{Kind: "text"}, wire.Reply{Text: `{"user-id":{"inner-id":1},"a b":"v w","q\"":0,"\u00e9":"Z"}`}},
	"empty":   {wire.Returns{Kind: "text"}, wire.Reply{Text: `[]`}},
	"blocks":  {wire.Returns{Kind: "text"}, wire.Reply{Text: "{\"a\":1}\n{\"a\":2}", Content: json.RawMessage(`[{"type":"text","text":"{\"a\":1}"},{"type":"text","text":"{\"a\":2}"}]`)}},
	"beside":  {wire.Returns{Kind: "text"}, wire.Reply{Text: "Found 1.", Data: json.RawMessage(`{"found":[1]}`)}},
	"log":     {wire.Returns{Kind: "text"}, wire.Reply{Text: "[INFO] started"}},
	"picture": {wire.Returns{Kind: "text"}, wire.Reply{Content: json.RawMessage(`[{"type":"image","mimeType":"image/png","data":"` + strings.Repeat("QUJD", 10581) + `"}]`)}},
	"mixed":   {wire.Returns{Kind: "text"}, wire.Reply{Text: "a\nb", Content: json.RawMessage(`[{"type":"text","text":"a"},{"type":"image","mimeType":"image/png","data":"QUJD"},{"type":"resource","resource":{"uri":"file:///b","text":"b"}}]`)}},
	"files": {wire.Returns{Kind: "text"}, wire.Reply{Content: json.RawMessage(`[{"type":"audio","mimeType":"audio/wav","data":"QUI="},` +
		`{"type":"resource","resource":{"uri":"file:///x.bin","mimeType":"application/x","blob":"QUJD"}},{"type":"resource_link","uri":"file:///y","name":"y"},{"type":7}]`)}},

	"liar":     {wire.Returns{Kind: "object"}, wire.Reply{Text: `[1]`, Structured: true}},
	"missing":  {wire.Returns{Kind: "object"}, wire.Reply{Text: `{"a":1}`}},
	"unstated": {wire.Returns{Kind: "object"}, wire.Reply{Text: `not JSON`}},
	"lost":     {wire.Returns{Kind: "string", Field: "content"}, wire.Reply{Content: json.RawMessage(`[]`), Data: json.RawMessage(`{"content":null,"more":1}`)}},
	"uncount":  {wire.Returns{Kind: "number", Field: "result"}, wire.Reply{Text: "many"}},
}

// valueChecks are assertions on these results, made by code.
var valueChecks = map[string]string{
	"an object is a dict": `
r = await issues()
assert isinstance(r, dict) and isinstance(r, ToolResult) and len(r) == 5 and list(r)[0] == 'issues'
assert r['sum'] == 3 and r.get('sum') == 3 and r.get('x', 9) == 9 and 'sum' in r and [i['id'] for i in r['issues']][1] == 12345678901234567890
assert {**r} == r == r.data == r.structuredContent == r.structured_content == r.json() == r.result == r.value
assert r.data is not r and type(r.data) is dict and not r.isError and not r.is_error
assert (lambda **kw: kw)(**r) == r and dict(r) == r and sorted(r.items(), key=str)
assert r.sum == 3 and r.text == 'Found 2 issues.' and r.data['text'] == r['text'] == 'inner' and r.content[0].text == r.content[0]['text'] == 'Found 2 issues.'
match r:
    case {'sum': n}: assert n == 3`,
	"a dict is printed as JSON": `
r = await issues()
text = '{"issues":[{"id":1},{"id":12345678901234567890}],"sum":3,"text":"inner","items":[7],"größe":0.1}'
assert str(r) == f'{r}' == format(r) == '%s' % r == '{}'.format(r) == text, str(r)
assert json.loads(r) == json.loads(str(r)) == json.loads(json.dumps(r)) == r and json.loads(s=r) == r
assert json.loads(r, parse_int=float)['sum'] == 3.0
import json as other
assert other.loads(r) == r and repr(r) == repr(r.data)
r['when'] = object()
assert 'object' in str(r)
assert str(await repeated()) == '{"a":1}' and (await repeated()).text == '{\n "a": 1\n}' and (await bare()).text == '{"a":1}' and (await bare()).content == []`,
	"a dict names what was meant": `
r = await issues()
says(lambda: r.upper(), AttributeError, 'r.text.upper')
says(lambda: r.strip, AttributeError, 'r.text.strip')
says(lambda: r['issue'], KeyError, "it has the keys 'issues', 'sum'")
says(lambda: r.issue, AttributeError, "'issues'")
says(lambda: r[0], KeyError, "'issues'")
says(lambda: r[:10], TypeError, 'r.text')
says(lambda: 'got ' + r, TypeError, 'str(r)')
says(lambda: json.loads(r.data), TypeError, 'parsed already')`,
	"copies are plain": `
import copy, pickle
for r in [await issues(), await listed(), await number(), await float_(), await plain(), await object_(), await read(), (await mixed()).content[1]]:
    expected = type(r).__mro__[1 if type(r).__name__ == 'Block' else 2]
    for c in (copy.copy(r), copy.deepcopy(r), pickle.loads(pickle.dumps(r)), copy.deepcopy([r])[0]):
        assert type(c) is expected and c == r, (type(c), expected)
r = await issues()
assert copy.deepcopy(r)['issues'] is not r['issues']`,
	"an array is a list": `
r = await listed()
assert isinstance(r, list) and sorted(r) == [1, 2, 3] and len(r) == 3 and r[0] == 3 and r[1:] == [1, 2] and [*r] == r.data == [3, 1, 2]
a, b, c = r
assert str(r) == f'{r}' == '[3,1,2]' and json.loads(r) == r and r + [4] == [3, 1, 2, 4] and max(r) == 3 and 3 in r
says(lambda: r['name'], TypeError, "r[0]['name']")
says(lambda: r.items(), AttributeError, 'it is a list')
says(lambda: r.split(), AttributeError, 'r.text.split')`,
	"a wrapper of the protocol is gone, and found by who looks for it": `
r = await wrapped()
assert r == [3, 1] == r.data == r['result'] == r.data['result'] == r.result == r.structuredContent['result'] and r.text == '3\n1', r.text
n, f = await number(), await float_()
assert n == 5 and n + 1 == 6 and isinstance(n, int) and f'{n:03d}' == '005' and n.data == n['result'] == 5 and n.text == '5' and [10] * 6 and [0, 1, 2, 3, 4, 5][n] == 5
assert f == 0.5 and isinstance(f, float) and json.dumps([n, f]) == '[5, 0.5]' and json.loads(n) == 5 and repr(n) == str(n) == '5'
says(lambda: n['x'], TypeError, 'is a number, 5')
assert await truth() is False and await nothing() is None and json.loads(await truth()) is False and json.loads(await nothing()) is None
r = await said()
assert isinstance(r, str) and json.loads(r) == {'temp': 21} and r['temp'] == 21 == r.temp and r.data == {'temp': 21} and r['result'] == '{"temp":21}'
says(lambda: len(r), TypeError, 'r.data')
r = await spoken()
assert r == 'hello' == r['result'] == r.data['result'] and len(r) == 5 and r.upper() == 'HELLO'`,
	"the text of a structure that is only a text reads as that text": `
r = await read()
assert isinstance(r, str) and r == '[{"name":"x"}]' and len(r) == 14 and r[0] == '[' and r[:2] == '[{' and list(r)[:2] == ['[', '{'] and 'name' in r
assert r['content'] == r and r.data == {'content': str(r)} == r.structuredContent and json.loads(r) == [{'name': 'x'}] and r.upper() == '[{"NAME":"X"}]' and type(r['content']) is str`,
	"a text is a str": `
r = await plain()
assert isinstance(r, str) and r.data is None and r.text == r and len(r) == 17 and r[0] == 'l' and r.splitlines() == ['line one', 'line two'] and 'two' in r
assert r.content == [{'type': 'text', 'text': str(r)}] and list(r)[:4] == list('line') and bool(r) and {r: 1}[str(r)] == 1 and type(r + 'x') is str
says(lambda: r['name'], TypeError, 'not JSON')
says(lambda: r.items(), AttributeError, 'not JSON')
says(lambda: r.name, AttributeError, 'not JSON')
says(lambda: json.loads(r), json.JSONDecodeError, "not JSON, 'line one")
assert (await log())[0] == '[' and len(await log()) == 14`,
	"a text of a JSON object is reached into": `
import re, textwrap, io, csv, html
r = await object_()
assert isinstance(r, str) and r['name'] == r.get('name') == r.name == 'Ada' and r.get('x') is None and list(r.keys()) == ['name', 'tags', 'n'] and dict(r.items()) == dict(r) == r.data
assert r['n'] == 12345678901234567890 and list(r.values())[0] == 'Ada' and (lambda **k: k)(**r) == r.data == json.loads(r) and r == str(r) and r == r.data and r != {}
assert [k for k in r] == ['name', 'tags', 'n'] and 'name' in r and bool(r) and re.findall('A.a', r) == ['Ada'] and re.sub('Ada', 'X', r)[:11] == '{"name": "X' and r[:8] == '{"name":'
assert f'{r}' == str(r) == r.text == '%s' % r == ''.join([r]) and r.splitlines() == [r.text] and io.StringIO(r).read() == r and r.encode() and json.dumps(r) == json.dumps(r.text)
assert 'no such phrase' not in r and r.startswith('{') and r.replace('Ada', 'X') and textwrap.shorten(r, 9) and html.unescape(r) and f'{r:.3}' == '{"n'
says(lambda: len(r), TypeError, 'len(r.data)')
says(lambda: r[0], TypeError, 'r.data')
says(lambda: r['nme'], KeyError, "'name', 'tags'")
says(lambda: r.nme, AttributeError, "'name'")
says(lambda: 'Ada' in r, TypeError, 'r.text')
print(r)`,
	"a text of a JSON array is reached into": `
r = await array()
assert isinstance(r, str) and [x['name'] for x in r] == ['Ada', 'Bob'] and r[0]['name'] == 'Ada' and r[-1] == {'name': 'Bob'} and list(r) == r.data == json.loads(r) and r == r.data
a, b = r
assert {'name': 'Ada'} in r and bool(r) and not await empty() and sorted(r, key=lambda x: x['name']) and dict(enumerate(r))[1]['name'] == 'Bob'
for f in (lambda: len(r), lambda: r[:1], lambda: reversed(r)): says(f, TypeError, 'r.data')
says(lambda: r['name'], TypeError, "r[0]['name']")
says(lambda: r.get('name'), AttributeError, 'JSON array')
says(lambda: 'Ada' in r, TypeError, 'r.data')
r = await blocks()
assert [x['a'] for x in r] == [1, 2] and r.data == json.loads(r) == [{'a': 1}, {'a': 2}] and r.text == '{"a":1}\n{"a":2}' and len(r.content) == 2
r = await beside()
assert isinstance(r, str) and r == 'Found 1.' and r['found'] == [1] == r.data['found'] and json.loads(r) == r.data and r.text == 'Found 1.'`,
	"an operation that a text and its JSON both have is no guess": `
r, o, p = await array(), await object_(), await plain()
for f in (lambda: r + r, lambda: r + [1], lambda: r * 2, lambda: 2 * r, lambda: r.count('x'), lambda: r.index({'name': 'Bob'}), lambda: r < p, lambda: 'z' > r, lambda: r >= [1], lambda: max([r, r])):
    says(f, TypeError, 'r.text')
    says(f, TypeError, 'r.data')
for f in (lambda: r.__setitem__(0, 1), lambda: exec('r[0] = 1', {'r': r}), lambda: exec('del r[0]', {'r': r}), lambda: r | {}): says(f, TypeError, 'r.data is the list')
for f in (lambda: exec('o["x"] = 1', {'o': o}), lambda: exec('del o["name"]', {'o': o}), lambda: o | {}, lambda: {} | o): says(f, TypeError, 'r.data is the dict')
says(lambda: o + [1], TypeError, 'r.data')
says(lambda: exec('p[0] = "x"', {'p': p}), TypeError, 'is a text')
says(lambda: p + [1], TypeError, 'concatenate')
assert 'rows: ' + r == 'rows: ' + r.text and r + '\n' == r.text + '\n' and p + r == p.text + r.text
assert o + o == o.text * 2 == o * 2 and p < 'z' and p.count('line') == 2 and p.index('two') == 14 and p * 2 == p.text * 2 and p + p == p.text * 2 and ''.join([r, r]) == r.text * 2
more, kept = [0], {'x': 1}
more += r
kept |= o
assert len(more) == 3 and kept['name'] == 'Ada' and (await read()).count('x') == 1 and (await read()) * 2 == (await read()).text * 2`,
	"in finds the keys of a JSON object, whatever they look like": `
r = await spelt()
assert 'user-id' in r and 'a b' in r and 'q"' in r and 'é' in r and 'user-name' not in r and 'x y' not in r
for k in ('inner-id', 'v w', 'user', '{', 'Z'): says(lambda: k in r, TypeError, 'in r.text, or … in r.data')`,
	"what is no text says what it is": `
r = await picture()
assert str(r) == '<image image/png 31 KB, in .content[0]>' and r.text == '' and r.content[0].mimeType == 'image/png' and r.content[0].data[:4] == 'QUJD' and r.data is None
r = await mixed()
assert r == 'a\nb' == r.text and r.content[2].resource.text == 'b' and r.content[1]['data'] == 'QUJD'
says(lambda: r.content[0].data, AttributeError, "'type', 'text'")
assert str(await files()) == '''<audio audio/wav 2 bytes, in .content[0]>
<resource file:///x.bin application/x 3 bytes, in .content[1]>
<resource_link y file:///y, in .content[2]>
<block, in .content[3]>''', await files()`,
	"a server that breaks its word gives what it really sent": `
r = await liar()
assert isinstance(r, list) and r == [1]
assert isinstance(await missing(), dict) and (await missing())['a'] == 1 and isinstance(await unstated(), str)
r = await lost()
assert isinstance(r, dict) and r['more'] == 1 and await uncount() == 'many'`,
	"an argument that is not JSON names what is": `
import base64, collections, dataclasses, datetime, decimal, enum, pathlib, uuid
@dataclasses.dataclass
class Point: x: int
class Color(enum.Enum): RED = 1
class Mode(enum.IntEnum): ON = 1
for value, text in [({1}, 'list(x)'), ({}.keys(), 'list(x)'), ((i for i in 'ab'), 'list(x)'), (collections.deque(), 'list(x)'), (datetime.datetime.now(), 'x.isoformat()'), (datetime.date.today(), 'x.isoformat()'),
        (pathlib.Path('/'), 'str(x)'), (uuid.uuid4(), 'str(x)'), (decimal.Decimal(1), 'str(x)'), (b'x', 'x.decode()'), (Color.RED, 'x.value'), (Point(1), 'dataclasses.asdict(x)'), (datetime.timedelta(1), 'x.total_seconds()')]:
    try:
        await seen(value=[value])
    except ToolError as e:
        assert e.code == 'arguments_invalid' and 'value/0: a ' in str(e) and 'is not JSON: write ' + text in str(e) or text == 'str(x)' and text in str(e), e
    else:
        assert False, value
assert await seen(value=Mode.ON) == 'seen'`,
	"a result can be an argument": `
for r in [await issues(), await listed(), await number(), await float_(), await object_(), await mixed()]:
    assert await seen(value=r) == 'seen'
assert await seen(**await issues()) == 'seen'`,
}

func TestAValueIsWhatItsStubSays(t *testing.T) {
	s := open(t)
	tools := []wire.Tool{{Name: "seen", ID: "t/seen"}}
	for name, r := range results {
		tools = append(tools, wire.Tool{Name: map[string]string{"object": "object_", "float": "float_"}[name], ID: "t/" + name, Facts: wire.Facts{Open: true, Returns: r.is}})
		if last := &tools[len(tools)-1]; last.Name == "" {
			last.Name = name
		}
	}
	if err := s.Init(t.Context(), tools); err != nil {
		t.Fatal(err)
	}
	const says = `
def says(f, kind, text):
    try:
        f()
    except kind as e:
        assert text in str(e), e
    else:
        assert False, text
`
	for name, code := range valueChecks {
		t.Run(name, func(t *testing.T) {
			o, err := s.Exec(t.Context(), says+code, func(_ context.Context, c wire.Call) wire.Reply {
				if r, ok := results[strings.TrimPrefix(c.Tool, "t/")]; ok {
					return r.reply
				}
				return wire.Reply{Text: "seen"}
			})
			if err != nil || o.Error != "" {
				t.Errorf("%s\n%+v, %v", o.Error, o, err)
			}
		})
	}
}

// What a result is not is said where the program takes it for that.
func TestAnErrorSaysWhatAResultIs(t *testing.T) {
	s := open(t)
	tools := []wire.Tool{{Name: "get", ID: "t/get", Facts: wire.Facts{Open: true, Returns: wire.Returns{Kind: "object"}}}, {Name: "texts", ID: "t/texts", Facts: wire.Facts{Open: true}},
		{Name: "fail", ID: "t/fail", Facts: wire.Facts{Open: true}}, {Name: "no", ID: "t/no", Facts: wire.Facts{Open: true, Returns: wire.Returns{Kind: "boolean", Field: "result"}}}}
	if err := s.Init(t.Context(), tools); err != nil {
		t.Fatal(err)
	}
	replies := map[string]wire.Reply{
		"t/get":   {Text: `{"issues":[{"title":"x"}],"items":[1],"owner":{"name":"Ada"}}`, Structured: true},
		"t/texts": {Text: `[1]`},
		"t/fail":  {Err: &wire.CallError{Tool: "t/fail", Code: "tool_failed", Codes: []string{"tool_failed"}, Message: "it always does"}},
		"t/no":    {Text: "false", Data: json.RawMessage(`{"result":false}`)},
	}
	for _, test := range []struct{ code, want string }{
		{"for i in await get(): i['title']", "loop over one of its values"},
		{"r = await get()\nr.owner.name", "It is a dict: write ['name'] instead of .name."},
		{"r = await get()\nr.issues[0].titel", "It is a dict, and it has the keys 'title'."},
		{"r = await get()\nr['issues'].title", "It is a list of dicts: write [0]['title'], or loop over it."},
		{"r = await get()\nfor i in r.items: pass", ".items is a method: write ['items'] for a field of that name"},
		{"r = await get()\nr.items[0]", ".items is a method: write ['items']"},
		{"r = await get()\nfor i in r: i['title']", "loop over r['issues'] or r['items']."},
		{"r = await get()\nprint([i['title'] for i in r])", "loop over r['issues'] or r['items']."},
		{"r = await no()\nr.data", "The value is False itself: use it without .data."},
		{"[0] + await texts()", "The result is a text: write r.data for the list"},
		{"await asyncio.gather(*[f() for f in (get, fail)])", "The tool is t/fail."},
		{"f = fail\nasync with asyncio.TaskGroup() as g: g.create_task(f())", "The tool is t/fail."},
	} {
		o, err := s.Exec(t.Context(), test.code, func(_ context.Context, c wire.Call) wire.Reply { return replies[c.Tool] })
		if err != nil || !strings.Contains(o.Error, test.want) {
			t.Errorf("%s\n%s, %v, without %q", test.code, o.Error, err, test.want)
		}
	}
	o, err := s.Exec(t.Context(), "await fail()", func(_ context.Context, c wire.Call) wire.Reply { return replies[c.Tool] })
	if err != nil || o.Error == "" || strings.Contains(o.Error, "The tool is") {
		t.Errorf("%s, %v: the line names the tool already", o.Error, err)
	}
}

// Nothing that a server can send raises inside of the runner, or is lost.
func TestAnyResultHasAValue(t *testing.T) {
	texts := []string{``, `{}`, `[]`, `{"result":1}`, `{"content":"x"}`, `"x"`, `1`, `1e999`, `null`, `true`, `[`, `{"a":`, "\x00", strings.Repeat("[", 100) + strings.Repeat("]", 100)}
	structures := []json.RawMessage{nil, json.RawMessage(`{}`), json.RawMessage(`[]`), json.RawMessage(`{"result":[1]}`), json.RawMessage(`{"result":null,"x":2}`), json.RawMessage(`{"content":"x"}`), json.RawMessage(`"x"`), json.RawMessage(`1e999`), json.RawMessage(`false`)}
	contents := []json.RawMessage{nil, json.RawMessage(`[]`), json.RawMessage(`[{}]`), json.RawMessage(`[{"type":null,"text":1},{"type":"text"},{"type":"text","text":7},{"type":"resource","resource":5},{"type":"resource","resource":{"text":[]}},{"type":"image","data":5}]`)}
	var tools []wire.Tool
	for _, kind := range []string{"", "text", "object", "array", "string", "number", "boolean", "any"} {
		for _, field := range []string{"", "result", "content"} {
			name := fmt.Sprintf("t%d", len(tools))
			tools = append(tools, wire.Tool{Name: name, ID: "t/" + name, Facts: wire.Facts{Open: true, Returns: wire.Returns{Kind: kind, Field: field}}})
		}
	}
	s := open(t)
	if err := s.Init(t.Context(), tools); err != nil {
		t.Fatal(err)
	}
	code := fmt.Sprintf(`
import copy
for tool in [globals()[f't{i}'] for i in range(%d)]:
    for r in await asyncio.gather(*[tool(i=i) for i in range(%d)]):
        str(r), repr(r), f'{r}', bool(r), copy.deepcopy(r)
        if isinstance(r, ToolResult):
            r.data, r.text, r.content, r.structuredContent
print('ok')`, len(tools), len(texts)*len(structures)*len(contents))
	o, err := s.Exec(t.Context(), code, func(_ context.Context, c wire.Call) wire.Reply {
		n, _ := c.Args.(map[string]any)["i"].(json.Number).Int64()
		i := int(n)
		text, rest := texts[i%len(texts)], i/len(texts)
		return wire.Reply{Text: text, Data: structures[rest%len(structures)], Content: contents[rest/len(structures)]}
	})
	if err != nil || o.Stdout != "ok\n" {
		t.Errorf("%+v, %v", o, err)
	}
}
