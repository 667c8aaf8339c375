package codemode.rules.team

deny contains {"code": "blocked", "message": _message} if input.tool.id in data.team.blocked

default _message := "this tool is blocked"

_message := concat(" ", ["blocked for", input.call.args.to]) if is_string(input.call.args.to)
