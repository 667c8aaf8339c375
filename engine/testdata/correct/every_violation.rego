package codemode.rules.team

deny contains {"code": "misfit", "message": concat("; ", messages)} if {
	messages := [v.message | some v in input.call.violations]
	count(messages) > 1
}
