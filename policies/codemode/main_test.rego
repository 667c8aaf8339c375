# METADATA
# title: Tests of the dispatcher
# description: And the call and the configuration that the tests of every family start from.
package codemode_test

import data.codemode

# METADATA
# title: A call that nothing speaks against
request := {
	"hook": "call",
	"tool": {
		"id": "tracker/create_issue",
		"server": "tracker",
		"name": "create_issue",
		"known": true,
		"private": false,
		"labels": [],
		"annotations": {"readOnlyHint": false},
		"definition_sha256": "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef",
	},
	"call": {
		"id": "call-1",
		"seq": 3,
		"args": {"title": "The import drops the last line"},
		"args_bytes": 42,
		"violations": [],
		"rules": [{"rule": "size(args.title) <= 200", "ok": true}],
	},
	"run": {"id": "run-1", "code_sha256": "", "calls": 3, "in_flight": 1, "elapsed_ms": 12},
	"session": {"id": "session-1", "labels": [], "label_sources": {}, "calls": 3, "calls_by_tool": {}},
	"principal": {"client": "test", "version": "1"},
	"time_ns": 1700000000000000000,
}

# METADATA
# title: What `mcp-code-mode policy data` prints, for two servers
config := {
	"servers": {
		"tracker": {
			"allow": {"create_issue": true, "find_issue": true, "close_issue": false},
			"private": {},
			"rules": {"create_issue": ["size(args.title) <= 200"]},
		},
		"notes": {"allow": "*", "private": "*", "rules": {}},
	},
	"limits": {"calls_per_run": 200, "argument_bytes": 16384},
}

# METADATA
# title: The whole decision of a call that may go out
allowed := {"allow": true, "denials": set(), "effects": {"labels_add": set()}}

# METADATA
# title: The whole decision of a call that is refused
refused(denials) := {"allow": false, "denials": denials, "effects": {"labels_add": set()}}

# METADATA
# title: Values that are not a number, a string, a boolean, an object or a list, as the case may be
odd := [null, true, false, 0, -1, 1e300, "", "1", [], {}]

# METADATA
# title: The request with one value changed
changed(path, value) := json.patch(request, [{"op": "replace", "path": path, "value": value}])

# METADATA
# title: The request with one field taken out
without(path) := json.patch(request, [{"op": "remove", "path": path}])

test_a_call_that_nothing_speaks_against_is_allowed if {
	codemode.decision == allowed with input as request with data.codemode.config as config
}

test_nothing_is_allowed_without_a_configuration if {
	not codemode.decision.allow with input as request
}

test_nothing_is_allowed_without_an_input if {
	codemode.decision.allow == false with data.codemode.config as config
}

test_no_grant_is_a_refusal_even_when_nothing_denies if {
	message := `no rule allows a call of "tracker/create_issue": use another tool`
	codemode.decision == refused({{"code": "tool_not_allowed", "message": message}}) with input as request
		with data.codemode.config as config
		with data.codemode.rules as {"mine": {"deny": set()}}
}

test_a_grant_does_not_reach_a_tool_that_is_not_known if {
	codemode.decision.allow == false with input as changed("/tool/known", false)
		with data.codemode.rules as {"mine": {"grant": true}}
}

test_only_true_is_a_grant[note] if {
	some value in array.concat(odd, ["true"])
	value != true
	note := json.marshal(value)
	codemode.decision.allow == false with input as request
		with data.codemode.rules as {"mine": {"grant": value}}
}

# Words of one's own: a family is picked up by lying there.
test_a_family_of_ones_own_can_grant if {
	codemode.decision == allowed with input as request
		with data.codemode.rules as {"mine": {"grant": true}}
}

test_a_family_of_ones_own_can_deny_what_others_grant if {
	denials := {{"code": "frozen", "message": "production is frozen: only read from it"}}
	codemode.decision == refused(denials) with input as request
		with data.codemode.rules as {"mine": {"grant": true}, "freeze": {"deny": denials}}
}

test_every_denial_of_every_family_is_told if {
	one := {"code": "frozen", "message": "one"}
	two := {"code": "late", "message": "two"}
	codemode.decision == refused({one, two}) with input as request
		with data.codemode.rules as {"mine": {"grant": true, "deny": {one}}, "freeze": {"deny": {two}}}
}

test_labels_of_every_family_are_added if {
	codemode.decision.effects == {"labels_add": {"private", "seen"}} with input as request
		with data.codemode.rules as {"mine": {"grant": true, "labels_add": {"seen"}}, "other": {"labels_add": {"private"}}}
}

test_a_refused_call_adds_no_label if {
	denials := {{"code": "frozen", "message": "no"}}
	codemode.decision == refused(denials) with input as request
		with data.codemode.rules as {"mine": {"grant": true, "deny": denials, "labels_add": {"seen"}}}
}

# `deny := true` instead of `deny contains …` must not be read as "denies nothing".
test_a_deny_that_is_not_a_set_allows_nothing[note] if {
	some value in odd
	note := json.marshal(value)
	not codemode.decision with input as request
		with data.codemode.rules as {"mine": {"grant": true, "deny": value}}
}

test_a_tool_that_may_be_called_is_visible if {
	codemode.visible == true with input as {"hook": "visible", "tool": request.tool}
		with data.codemode.config as config
}

test_a_tool_off_the_allowlist_is_not_visible if {
	codemode.visible == false with input as {"hook": "visible", "tool": changed("/tool/name", "close_issue").tool}
		with data.codemode.config as config
}

test_a_family_can_show_a_tool_that_it_grants_by_its_arguments if {
	codemode.visible == true with input as {"hook": "visible", "tool": request.tool}
		with data.codemode.rules as {"mine": {"visible": true}}
}

test_a_tool_is_visible_when_it_can_be_granted if {
	codemode.visible == true with input as {"hook": "visible", "tool": request.tool}
		with data.codemode.rules as {"mine": {"grant": true}}
}
