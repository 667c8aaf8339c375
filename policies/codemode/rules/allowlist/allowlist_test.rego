package codemode.rules.allowlist_test

import data.codemode
import data.codemode_test as given

_off_the_list(id) := given.refused({{
	"code": "tool_not_allowed",
	"message": $`"{id}" is not on the allowlist: use another tool of TOOLS, or finish without it`,
}})

_no_such_tool := {"code": "tool_not_allowed", "message": "there is no such tool: call one of those in TOOLS"}

_tool(server, name) := json.patch(given.request, [
	{"op": "replace", "path": "/tool/id", "value": $"{server}/{name}"},
	{"op": "replace", "path": "/tool/server", "value": server},
	{"op": "replace", "path": "/tool/name", "value": name},
	{"op": "replace", "path": "/call/rules", "value": []},
])

test_a_listed_tool_is_allowed if {
	codemode.decision == given.allowed with input as _tool("tracker", "find_issue")
		with data.codemode.config as given.config
}

test_every_tool_of_a_server_with_a_star_is_allowed if {
	codemode.decision.allow == true with input as _tool("notes", "anything at all")
		with data.codemode.config as given.config
}

test_a_tool_that_is_not_listed_is_refused if {
	codemode.decision == _off_the_list("tracker/delete_issue") with input as _tool("tracker", "delete_issue")
		with data.codemode.config as given.config
}

test_a_tool_that_is_listed_as_false_is_refused if {
	codemode.decision == _off_the_list("tracker/close_issue") with input as _tool("tracker", "close_issue")
		with data.codemode.config as given.config
}

test_a_tool_of_an_unknown_server_is_refused if {
	codemode.decision == _off_the_list("other/find_issue") with input as _tool("other", "find_issue")
		with data.codemode.config as given.config
}

test_a_tool_named_star_is_a_tool_like_others if {
	codemode.decision == _off_the_list("tracker/*") with input as _tool("tracker", "*")
		with data.codemode.config as given.config
}

test_a_tool_that_does_not_exist_is_refused if {
	request := json.patch(_tool("tracker", "find_issue"), [{"op": "replace", "path": "/tool/known", "value": false}])
	codemode.decision == given.refused({_no_such_tool}) with input as request
		with data.codemode.config as given.config
}

test_a_missing_field_refuses[path] if {
	some path in ["/tool", "/tool/known", "/tool/server", "/tool/name"]
	codemode.decision.allow == false with input as given.without(path)
		with data.codemode.config as given.config
}

test_a_field_of_the_wrong_type_refuses[note] if {
	some path in ["/tool/known", "/tool/server", "/tool/name"]
	some value in given.odd
	{path, value} != {"/tool/known", true}
	note := $"{path} {json.marshal(value)}"
	codemode.decision.allow == false with input as given.changed(path, value)
		with data.codemode.config as given.config
}

# What stands there instead of a list must not be read as one.
test_a_list_of_the_wrong_type_refuses[note] if {
	some value in array.concat(given.odd, ["create_issue", ["create_issue"], {"create_issue": "true"}, {"create_issue": 1}])
	note := json.marshal(value)
	config := object.union(given.config, {"servers": {"tracker": {"allow": null}}})
	broken := json.patch(config, [{"op": "replace", "path": "/servers/tracker/allow", "value": value}])
	codemode.decision.allow == false with input as given.request
		with data.codemode.config as broken
}

test_a_listed_tool_is_visible if {
	codemode.visible == true with input as {"hook": "visible", "tool": _tool("tracker", "find_issue").tool}
		with data.codemode.config as given.config
}

test_a_tool_off_the_list_is_not_visible if {
	codemode.visible == false with input as {"hook": "visible", "tool": _tool("tracker", "delete_issue").tool}
		with data.codemode.config as given.config
}
