package codemode.rules.team

deny contains {"code": "outside", "message": "only below /data/"} if {
	input.tool.name == "echo"
	not _inside
}

_inside if {
	startswith(input.call.args.path, "/data/")
	not contains(input.call.args.path, "..")
}
