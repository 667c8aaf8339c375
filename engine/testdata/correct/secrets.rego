package codemode.rules.team

deny contains {"code": "secret", "message": "the arguments hold what looks like a key: leave it out"} if not _no_secret

_no_secret if {
	is_object(input.call.args)
	not regex.match(`AKIA[0-9A-Z]{16}`, json.marshal(input.call.args))
}
