package codemode.rules.team

deny contains {"code": "same", "message": "from and to must differ"} if {
	input.tool.name == "echo"
	not _differ
}

_differ if {
	is_string(input.call.args.from)
	is_string(input.call.args.to)
	input.call.args.from != input.call.args.to
}
