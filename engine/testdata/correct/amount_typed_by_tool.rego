package codemode.rules.team

deny contains {"code": "too_much", "message": sprintf("%d is more than %d", [input.call.args.amount, data.team.limit])} if {
	input.tool.id == "production/pay"
	input.call.args.amount > data.team.limit
}
