package codemode.rules.team

deny contains {"code": "once", "message": "one private tool in a session"} if {
	input.tool.private == true
	some source in input.session.label_sources
	source != input.tool.id
}
