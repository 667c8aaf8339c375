package codemode.rules.team

deny contains {"code": "host", "message": "only our own hosts"} if not _ours

_ours if not "url" in object.keys(input.call.args)

_ours if regex.match(`^https://([a-z0-9-]+\.)?example\.com/`, input.call.args.url)
