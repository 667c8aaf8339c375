package codemode.rules.team

deny contains {"code": code, "message": $"no {input.tool.name} here"} if {
	some name, code in {"pay": "no_paying", "note": "no_notes"}
	input.tool.name == name
	input.tool.server == "production"
}
