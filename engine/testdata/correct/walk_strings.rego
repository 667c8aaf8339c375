package codemode.rules.team

deny contains {"code": "long_text", "message": "texts of 1000 characters at most"} if {
	walk(input.call.args, [_, value])
	is_string(value)
	count(value) > 1000
}
