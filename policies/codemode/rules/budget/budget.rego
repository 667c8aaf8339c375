# METADATA
# title: Budget
# description: |
#   Bounds how many calls one run makes. Every call that reaches the gate counts,
#   refused ones too. The number is `data.codemode.config.limits.calls_per_run`.
package codemode.rules.budget

# METADATA
# title: The run has calls left
# description: Stops loops that never end and programs that walk through everything.
# custom:
#   code: budget_exhausted
deny contains {"code": "budget_exhausted", "message": _message} if not _calls_left

# Between two numbers there are only numbers; above or below one there is more.
_calls_left if {
	limit := data.codemode.config.limits.calls_per_run
	is_number(limit)
	calls := input.run.calls
	calls >= 1
	calls <= limit
}

_message := concat("", [
	$"this run has used its {data.codemode.config.limits.calls_per_run} calls: ",
	"print what you have, and do the rest in another run_python",
])
