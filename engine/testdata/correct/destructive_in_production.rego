package codemode.rules.team

deny contains {"code": "frozen", "message": "nothing destructive in production"} if {
	input.tool.server == "production"
	not input.tool.annotations.destructiveHint == false
}
