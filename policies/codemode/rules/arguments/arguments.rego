# METADATA
# title: Arguments
# description: |
#   Refuses arguments that are too large, that break the tool's own schema, or that break
#   a CEL rule of the installation.
package codemode.rules.arguments

# METADATA
# title: The arguments are not too large
# description: Stops data that leaves by the bulk, and programs that paste whole files.
# custom:
#   code: arguments_too_large
deny contains {"code": "arguments_too_large", "message": _too_large} if not _fits

# METADATA
# title: The arguments fit the tool's schema
# description: Stops parameters that the tool does not name and values it does not expect.
# custom:
#   code: arguments_invalid
deny contains {"code": "arguments_invalid", "message": _invalid} if not _valid

# METADATA
# title: Every CEL rule of the tool holds
# description: A rule whose result is missing counts as one that does not hold.
# custom:
#   code: rule_not_met
deny contains {"code": "rule_not_met", "message": _not_met} if not _rules_hold

# Rego compares values of any type, null < true < 1 < "1" < [], so a bound on one side proves
# nothing. What lies between two numbers is a number.
_fits if {
	limit := data.codemode.config.limits.argument_bytes
	is_number(limit)
	size := input.call.args_bytes
	size >= 0
	size <= limit
}

_valid if {
	is_object(input.call.args)
	input.call.violations == []
}

# The results must be those of the rules that the installation asks for, each of them true:
# a list that is empty, shorter or of something else proves nothing.
_rules_hold if {
	asked := _asked
	is_array(asked)
	input.call.rules == [{"rule": rule, "ok": true} | some rule in asked]
}

default _asked := []

_asked := data.codemode.config.servers[input.tool.server].rules[input.tool.name]

_broken := [rule |
	some rule in _asked
	not {"rule": rule, "ok": true} in input.call.rules
]

_too_large := concat("", [
	$"the arguments are {input.call.args_bytes} bytes and the limit is {data.codemode.config.limits.argument_bytes}: ",
	"send less at once, or split the work over several calls (--max-arguments)",
])

_invalid := $`the arguments do not fit "{input.tool.id}" ({_listed}{_more}): see its stub in TOOLS and correct them`

# More would not be read.
_most := 5

default _listed := "they must be one JSON object that fits its schema"

_listed := concat("; ", array.slice(_violations, 0, _most)) if count(_violations) > 0

default _more := ""

_more := $"; {count(_violations) - _most} more" if count(_violations) > _most

_violations := [concat("", [_where(violation), violation.message]) |
	some violation in input.call.violations
	is_string(violation.message)
]

_where(violation) := "" if violation.path == ""

_where(violation) := $"{trim_left(violation.path, "/")}: " if violation.path != ""

_not_met := $`the arguments of "{input.tool.id}" must meet {_first_broken}: change them so that they do`

default _first_broken := "all of its rules, whose results are missing"

_first_broken := _broken[0]
