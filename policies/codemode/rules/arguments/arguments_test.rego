package codemode.rules.arguments_test

import data.codemode
import data.codemode_test as given

_denied(code, message) := given.refused({{"code": code, "message": message}})

_too_large(size) := concat("", [
	$"the arguments are {size} bytes and the limit is 16384: ",
	"send less at once, or split the work over several calls (--max-arguments)",
])

_invalid(what) := $`the arguments do not fit "tracker/create_issue" ({what}): see its stub in TOOLS and correct them`

_not_met(rule) := $`the arguments of "tracker/create_issue" must meet {rule}: change them so that they do`

_title := "size(args.title) <= 200"

test_arguments_of_just_the_limit_are_allowed if {
	codemode.decision == given.allowed with input as given.changed("/call/args_bytes", 16384)
		with data.codemode.config as given.config
}

test_arguments_over_the_limit_are_refused if {
	codemode.decision == _denied("arguments_too_large", _too_large(16385)) with input as given.changed("/call/args_bytes", 16385)
		with data.codemode.config as given.config
}

test_a_size_below_zero_is_refused if {
	codemode.decision == _denied("arguments_too_large", _too_large(-1)) with input as given.changed("/call/args_bytes", -1)
		with data.codemode.config as given.config
}

test_arguments_that_break_the_schema_are_refused if {
	violations := [{"path": "/labels/0", "message": "got number, want string"}]
	codemode.decision == _denied("arguments_invalid", _invalid("labels/0: got number, want string")) with data.codemode.config as given.config
		with input as given.changed("/call/violations", violations)
}

test_several_violations_are_told if {
	violations := [
		{"path": "", "message": "missing property 'title'"},
		{"path": "/body", "message": "got null, want string"},
		{"path": "/labels", "message": "got null, want array"},
	]
	codemode.decision == _denied("arguments_invalid", _invalid("missing property 'title'; body: got null, want string; labels: got null, want array")) with data.codemode.config as given.config
		with input as given.changed("/call/violations", violations)
}

test_of_many_violations_five_are_told if {
	violations := [{"path": $"/p{i}", "message": "m"} | some i in numbers.range(1, 8)]
	codemode.decision == _denied("arguments_invalid", _invalid("p1: m; p2: m; p3: m; p4: m; p5: m; 3 more")) with data.codemode.config as given.config
		with input as given.changed("/call/violations", violations)
}

test_violations_of_another_form_refuse[note] if {
	some value in given.odd
	some odd in [value, {"path": value, "message": "m"}, {"path": "", "message": value}, {"message": "m"}]
	note := json.marshal(odd)
	codemode.decision.allow == false with input as given.changed("/call/violations", [odd])
		with data.codemode.config as given.config
}

test_arguments_that_are_not_an_object_are_refused[note] if {
	some value in given.odd
	value != {}
	note := json.marshal(value)
	codemode.decision == _denied("arguments_invalid", _invalid("they must be one JSON object that fits its schema")) with data.codemode.config as given.config
		with input as given.changed("/call/args", value)
}

test_a_rule_that_does_not_hold_refuses if {
	codemode.decision == _denied("rule_not_met", _not_met(_title)) with data.codemode.config as given.config
		with input as given.changed("/call/rules/0/ok", false)
}

test_every_rule_must_hold if {
	rules := [_title, "args.priority in ['low', 'normal']"]
	config := json.patch(given.config, [{"op": "replace", "path": "/servers/tracker/rules/create_issue", "value": rules}])
	results := [{"rule": rules[0], "ok": true}, {"rule": rules[1], "ok": false}]
	codemode.decision == _denied("rule_not_met", _not_met(rules[1])) with input as given.changed("/call/rules", results)
		with data.codemode.config as config
}

test_a_tool_without_rules_needs_no_results if {
	config := json.patch(given.config, [{"op": "remove", "path": "/servers/tracker/rules/create_issue"}])
	codemode.decision == given.allowed with input as given.changed("/call/rules", [])
		with data.codemode.config as config
}

# An empty list of results satisfies "every result is true".
test_results_that_are_missing_refuse if {
	codemode.decision == _denied("rule_not_met", _not_met(_title)) with input as given.changed("/call/rules", [])
		with data.codemode.config as given.config
}

test_results_of_something_else_refuse if {
	codemode.decision == _denied("rule_not_met", _not_met(_title)) with data.codemode.config as given.config
		with input as given.changed("/call/rules", [{"rule": "true", "ok": true}])
}

test_results_that_nobody_asked_for_refuse if {
	results := array.concat(given.request.call.rules, [{"rule": "true", "ok": true}])
	message := _not_met("all of its rules, whose results are missing")
	codemode.decision == _denied("rule_not_met", message) with input as given.changed("/call/rules", results)
		with data.codemode.config as given.config
}

test_a_missing_field_refuses[path] if {
	some path in [
		"/call", "/call/args", "/call/args_bytes", "/call/violations",
		"/call/rules", "/call/rules/0", "/call/rules/0/ok", "/call/rules/0/rule",
	]
	codemode.decision.allow == false with input as given.without(path)
		with data.codemode.config as given.config
}

_expected := {
	"/call/args_bytes": {0},
	"/call/args": {{}},
	"/call/violations": {[]},
	"/call/rules": set(),
	"/call/rules/0": set(),
	"/call/rules/0/ok": {true},
}

test_a_field_of_the_wrong_type_refuses[note] if {
	some path, fine in _expected
	some value in given.odd
	not value in fine
	note := $"{path} {json.marshal(value)}"
	codemode.decision.allow == false with input as given.changed(path, value)
		with data.codemode.config as given.config
}

test_a_limit_of_the_wrong_type_refuses[note] if {
	some value in array.concat(given.odd, ["16384", [16384]])
	not value in {1e300}
	note := json.marshal(value)
	config := json.patch(given.config, [{"op": "replace", "path": "/limits/argument_bytes", "value": value}])
	codemode.decision.allow == false with input as given.request
		with data.codemode.config as config
}

test_rules_of_the_wrong_type_refuse[note] if {
	some value in array.concat(given.odd, [_title])
	value != []
	note := json.marshal(value)
	config := json.patch(given.config, [{"op": "replace", "path": "/servers/tracker/rules/create_issue", "value": value}])
	codemode.decision.allow == false with input as given.changed("/call/rules", [])
		with data.codemode.config as config
}
