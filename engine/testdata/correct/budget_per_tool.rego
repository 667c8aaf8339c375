package codemode.rules.team

deny contains {"code": "too_often", "message": $"{input.tool.id} may be called ten times"} if {
	object.get(input.session.calls_by_tool, input.tool.id, 0) >= 10
}
