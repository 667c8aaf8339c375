package codemode.rules.team

grant if {
	input.tool.server == "staging"
	input.tool.name in {"echo", "note"}
}

deny contains {"code": "private_first", "message": "nothing after private data"} if {
	input.tool.server == "staging"
	"private" in input.session.labels
}
