package codemode.rules.team

deny contains {"code": "misfit", "message": $"the first of {count(input.call.violations)}: {input.call.violations[0].message}"} if {
	count(input.call.violations) > 0
}
