package codemode.rules.team

deny contains {"code": "force", "message": "no force"} if not _gentle

_gentle if not "force" in object.keys(input.call.args)

_gentle if input.call.args.force == false
