package codemode.rules.team

deny contains {"code": "too_much", "message": "too much"} if {
	input.tool.name == "pay"
	input.call.args.amount > 5 # mcp-code-mode ignore: compares_absent both servers require an amount, and the arguments family refuses calls without
}
