package codemode.rules.team

deny contains {"code": "too_much", "message": "at most 100 at once"} if {
	input.tool.name == "pay"
	not _small
}

_small if {
	amount := input.call.args.amount
	is_number(amount)
	amount > 0
	amount <= 100
}
