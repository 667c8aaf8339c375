package codemode.rules.private_test

import data.codemode
import data.codemode_test as given

_refused(source) := given.refused({{"code": "private_data", "message": concat("", [
	$"{source} was called in this session, so only tools marked [private] can be called until it ends, ",
	`and "tracker/create_issue" is not: go on with private tools, or finish with what you have`,
])}})

_session(labels, sources) := {"id": "session-1", "labels": labels, "label_sources": sources, "calls": 3, "calls_by_tool": {}}

_marked := given.changed("/session", _session(["private"], {"private": "notes/search"}))

test_a_tool_that_is_not_private_is_allowed_in_a_clean_session if {
	codemode.decision == given.allowed with input as given.request
		with data.codemode.config as given.config
}

test_it_is_refused_after_a_private_one if {
	codemode.decision == _refused(`the private tool "notes/search"`) with input as _marked
		with data.codemode.config as given.config
}

test_it_is_refused_whatever_else_the_session_is_marked_with if {
	request := given.changed("/session", _session(["seen", "private"], {}))
	codemode.decision == _refused("a private tool") with input as request
		with data.codemode.config as given.config
}

test_other_labels_do_not_matter if {
	codemode.decision == given.allowed with input as given.changed("/session/labels", ["seen", "Private"])
		with data.codemode.config as given.config
}

_private_call := {"allow": true, "denials": set(), "effects": {"labels_add": {"private"}}}

test_a_private_call_marks_the_session if {
	codemode.decision == _private_call with input as given.changed("/tool/private", true)
		with data.codemode.config as given.config
}

test_a_private_tool_is_allowed_after_a_private_one if {
	request := json.patch(_marked, [{"op": "replace", "path": "/tool/private", "value": true}])
	codemode.decision == _private_call with input as request
		with data.codemode.config as given.config
}

test_a_refused_private_call_marks_nothing if {
	request := json.patch(given.request, [
		{"op": "replace", "path": "/tool/private", "value": true},
		{"op": "replace", "path": "/run/calls", "value": 201},
	])
	codemode.decision.effects == {"labels_add": set()} with input as request
		with data.codemode.config as given.config
}

test_a_missing_field_refuses[path] if {
	some path in ["/tool/private", "/session", "/session/labels"]
	codemode.decision == _refused("a private tool") with input as given.without(path)
		with data.codemode.config as given.config
}

test_labels_of_the_wrong_type_refuse[note] if {
	some value in array.concat(given.odd, ["private", {"private": true}])
	value != []
	note := json.marshal(value)
	codemode.decision == _refused("a private tool") with input as given.changed("/session/labels", value)
		with data.codemode.config as given.config
}

test_a_mark_of_the_wrong_type_refuses[note] if {
	some value in given.odd
	not is_boolean(value)
	note := json.marshal(value)
	codemode.decision == _refused("a private tool") with input as given.changed("/tool/private", value)
		with data.codemode.config as given.config
}
