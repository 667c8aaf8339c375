package codemode.rules.team

deny contains {"code": "outside", "message": "only below /data/"} if {
	input.tool.name == "echo"
	not _inside
}

_inside if _below(input.call.args.path, "/data/")

_below(path, root) if {
	is_string(path)
	startswith(path, root)
}
