package codemode.rules.team

deny contains {"code": "one_server", "message": "a session stays with one server"} if {
	some id, calls in input.session.calls_by_tool
	calls > 0
	not startswith(id, $"{input.tool.server}/")
}
