package codemode.rules.team

visible if {
	input.tool.known == true
	input.tool.server == "staging"
}
