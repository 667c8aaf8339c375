package codemode.rules.team

deny contains {"code": "host", "message": "only our own hosts"} if {
	input.tool.name == "echo"
	not _ours
}

_ours if input.call.args.host in data.team.hosts
