package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
)

// results are tools that answer with a fixed result.
var results = map[string]string{
	"is_error":      `{"content":[{"type":"text","text":"it broke"}],"isError":true}`,
	"is_error_text": `{"content":[{"type":"text","text":"it broke"}],"isError":"true"}`,
	"no_content":    `{"structuredContent":{"a":1}}`,
	"null_content":  `{"content":null,"structuredContent":null,"isError":null}`,
	"empty":         `{}`,
	"tool_result":   `{"toolResult":{"old":[1,2]}}`,
	"tool_text":     `{"toolResult":"old text"}`,
	"content_obj":   `{"content":{"type":"text","text":"x"}}`,
	"content_strs":  `{"content":["x"]}`,
	"not_object":    `[1,2,3]`,
	"null_result":   `null`,
	"array":         `{"content":[],"structuredContent":[1,{"b":2,"a":1}]}`,
	"scalar":        `{"content":[],"structuredContent":123456789012345678901234567890}`,
	"exact":         `{"content":[{"type":"video","data":"eHg=","n":1.0},{"text":"ok","type":"text"}],"structuredContent":{"z":123456789012345678901234567890,"a":1.0,"e":1e400,"m":{"y":0.10,"x":[]}}}`,
	"caseful":       `{"Content":[{"type":"text","text":"evil"}],"content":[{"type":"text","text":"good"}],"CONTENT":[],"isError":false,"IsError":true}`,
	"twice":         `{"content":[{"type":"text","text":"a"}],"content":[{"type":"text","text":"b"}]}`,
	"escaped_key":   `{"cont\u0065nt":[{"type":"text","text":"a"}]}`,
	"asks_input":    `{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"requestedSchema":{"$ref":"#"}}}},"requestState":"x"}`,
	"other_type":    `{"resultType":"task","task":{"taskId":"1"}}`,
	"complete":      `{"resultType":"complete","content":[{"type":"text","text":"done"}]}`,
	"depth_128":     `{"content":[],"structuredContent":` + strings.Repeat("[", 127) + strings.Repeat("]", 127) + `}`,
	"depth_129":     `{"content":[],"structuredContent":` + strings.Repeat("[", 128) + strings.Repeat("]", 128) + `}`,
	"very_deep":     `{"content":[],"structuredContent":` + strings.Repeat("[", 1_000_000) + strings.Repeat("]", 1_000_000) + `}`,
	"not_utf8":      "{\"content\":[{\"type\":\"text\",\"text\":\"caf\xe9\"}]}",
	"half_pairs":    `{"content":[{"type":"text","text":"a\ud83d b\ude00 \ud83d\ude00 \\ud83d \ud83d\ud83d\ude00\ud83d"}]}`,
}

// lines are tools that answer with a line of their own; ID stands for the request's id.
var lines = map[string]string{
	"invalid":      `{"jsonrpc":"2.0","id":ID,"result":{"content":[}}`,
	"cut_off":      `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"te`,
	"nan":          `{"result":{"content":[],"structuredContent":{"x":NaN}},"jsonrpc":"2.0","id":ID}`,
	"string_id":    `{"jsonrpc":"2.0","id":"ID","result":{"content":[{"type":"text","text":"ok"}]}}`,
	"float_id":     `{"jsonrpc":"2.0","id":ID.0,"result":{"content":[{"type":"text","text":"ok"}]}}`,
	"id_last":      `{"result":{"content":[{"type":"text","text":"ok"}]},"jsonrpc":"2.0","id":ID}`,
	"duplicate":    `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"first"}]}}` + "\n" + `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"second"}]}}`,
	"unknown_ids":  `{"jsonrpc":"2.0","id":99999,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":"x","result":{}}` + "\n" + `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"?"}}` + "\n" + `{"jsonrpc":"2.0","id":{"a":1},"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}`,
	"error":        `{"jsonrpc":"2.0","id":ID,"error":{"code":-32050,"message":"boom\u001b[2J\u202e\nline two","data":{"secret":1}}}`,
	"long_error":   `{"jsonrpc":"2.0","id":ID,"error":{"code":-1,"message":"` + strings.Repeat("é", 100_000) + `"}}`,
	"error_string": `{"jsonrpc":"2.0","id":ID,"error":"just a string"}`,
	"error_odd":    `{"jsonrpc":"2.0","id":ID,"error":{"code":"E42","message":["a"]}}`,
	"null_error":   `{"jsonrpc":"2.0","id":ID,"error":null,"result":{"content":[{"type":"text","text":"ok"}]}}`,
	"neither":      `{"jsonrpc":"2.0","id":ID}`,
	"batch":        `[{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"ok"}]}}]`,
	"spaces":       "  \t{ \"jsonrpc\" : \"2.0\" , \"id\" : ID , \"result\" : { \"content\" : [ ] } } \r",
	"nested_batch": strings.Repeat("[", 1_000_000) + "\n" + `{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}`,
}

// special are tools that do something.
var special = map[string]func(s *server, r *request){
	"die":  func(s *server, r *request) { os.Exit(7) },
	"kill": func(s *server, r *request) { suicide() },
	"hang": func(s *server, r *request) { s.waitCancelled(r.ID) },
	"late": func(s *server, r *request) { // answers after it was cancelled
		s.waitCancelled(r.ID)
		s.answer(r.ID, `{"content":[{"type":"text","text":"too late"}]}`)
	},
	"big": func(s *server, r *request) { s.answer(r.ID, big(r)) },
	"big_last": func(s *server, r *request) {
		s.print(`{"result":` + big(r) + `,"jsonrpc":"2.0","id":` + string(r.ID) + "}\n")
	},
	"sleep": func(s *server, r *request) {
		var args struct{ Ms int }
		_ = json.Unmarshal(r.Params.Arguments, &args)
		time.Sleep(time.Duration(args.Ms) * time.Millisecond)
		s.answer(r.ID, `{"content":[]}`)
	},
	"raw": func(s *server, r *request) { // the arguments, byte for byte
		s.answer(r.ID, text(string(r.Params.Arguments)))
	},
	"pid":       func(s *server, r *request) { s.answer(r.ID, text(fmt.Sprint(os.Getpid()))) },
	"env":       func(s *server, r *request) { s.answer(r.ID, text(strings.Join(os.Environ(), "\n"))) },
	"directory": func(s *server, r *request) { d, _ := os.Getwd(); s.answer(r.ID, text(d)) },
	"child":     func(s *server, r *request) { spawn(false); s.answer(r.ID, `{"content":[]}`) },
	"detached":  func(s *server, r *request) { spawn(true); s.answer(r.ID, `{"content":[]}`) },
	"cancelled": func(s *server, r *request) {
		s.mu.Lock()
		all := strings.Join(s.cancelled, " ")
		s.mu.Unlock()
		s.answer(r.ID, text(all))
	},
	"asks": func(s *server, r *request) { s.ask(r) },
}

func names() []string {
	all := slices.Concat(slices.Collect(maps.Keys(results)), slices.Collect(maps.Keys(lines)), slices.Collect(maps.Keys(special)))
	slices.Sort(all)
	return all
}

func text(s string) string {
	b, _ := json.Marshal(s)
	return `{"content":[{"type":"text","text":` + string(b) + `}]}`
}

func big(r *request) string {
	args := struct{ Bytes int }{20_000_000}
	_ = json.Unmarshal(r.Params.Arguments, &args)
	return text(strings.Repeat("x", args.Bytes))
}

func (s *server) call(r *request) {
	if s.is("asks") {
		s.print(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"?","requestedSchema":{"$ref":"#"}}}` + "\n")
	}
	if result, ok := results[r.Params.Name]; ok {
		s.answer(r.ID, result)
	} else if line, ok := lines[r.Params.Name]; ok {
		s.print(strings.ReplaceAll(line, "ID", string(r.ID)) + "\n")
	} else if f, ok := special[r.Params.Name]; ok {
		f(s, r)
	} else {
		s.refuse(r.ID, -32602, "no such tool", "null")
	}
}

// ask sends every request a server may send and answers with the replies.
func (s *server) ask(r *request) {
	var replies []string
	for _, method := range []string{"ping", "roots/list", "sampling/createMessage", "elicitation/create", "no/such"} {
		s.print(`{"jsonrpc":"2.0","id":"` + method + `","method":"` + method + `","params":{"requestedSchema":{"$ref":"#"}}}` + "\n")
		select {
		case reply := <-s.replies:
			replies = append(replies, method+" "+string(reply))
		case <-time.After(5 * time.Second):
			replies = append(replies, method+" no reply")
		}
	}
	s.answer(r.ID, text(strings.Join(replies, "\n")))
}
