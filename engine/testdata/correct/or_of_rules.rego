package codemode.rules.team

deny contains {"code": "no", "message": "not for you"} if not _allowed

_allowed if input.tool.server == "staging"

_allowed if {
	input.tool.server == "production"
	input.principal.client == "ci"
}
