package codemode.rules.budget_test

import data.codemode
import data.codemode_test as given

_used_up := given.refused({{
	"code": "budget_exhausted",
	"message": "this run has used its 200 calls: print what you have, and do the rest in another run_python",
}})

test_the_last_call_of_the_budget_is_allowed if {
	codemode.decision == given.allowed with input as given.changed("/run/calls", 200)
		with data.codemode.config as given.config
}

test_the_call_after_it_is_refused if {
	codemode.decision == _used_up with input as given.changed("/run/calls", 201)
		with data.codemode.config as given.config
}

test_a_count_that_leaves_this_call_out_is_refused if {
	codemode.decision == _used_up with input as given.changed("/run/calls", 0)
		with data.codemode.config as given.config
}

test_the_number_comes_from_the_configuration if {
	config := json.patch(given.config, [{"op": "replace", "path": "/limits/calls_per_run", "value": 2}])
	codemode.decision == given.refused({{
		"code": "budget_exhausted",
		"message": "this run has used its 2 calls: print what you have, and do the rest in another run_python",
	}}) with input as given.request
		with data.codemode.config as config
}

test_a_missing_field_refuses[path] if {
	some path in ["/run", "/run/calls"]
	codemode.decision == _used_up with input as given.without(path)
		with data.codemode.config as given.config
}

test_a_count_of_the_wrong_type_refuses[note] if {
	some value in given.odd
	note := json.marshal(value)
	codemode.decision == _used_up with input as given.changed("/run/calls", value)
		with data.codemode.config as given.config
}

test_a_limit_of_the_wrong_type_refuses[note] if {
	some value in array.concat(given.odd, ["200", [200]])
	not value in {1e300}
	note := json.marshal(value)
	config := json.patch(given.config, [{"op": "replace", "path": "/limits/calls_per_run", "value": value}])
	codemode.decision.allow == false with input as given.request
		with data.codemode.config as config
}

test_a_limit_that_is_missing_refuses if {
	config := json.patch(given.config, [{"op": "remove", "path": "/limits"}])
	codemode.decision.allow == false with input as given.request
		with data.codemode.config as config
}
