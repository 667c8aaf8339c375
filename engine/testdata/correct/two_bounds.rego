package codemode.rules.team

deny contains {"code": "too_many", "message": "1 to 50 at once"} if {
	"limit" in object.keys(input.call.args)
	not _modest
}

_modest if {
	input.call.args.limit >= 1
	input.call.args.limit <= 50
}
