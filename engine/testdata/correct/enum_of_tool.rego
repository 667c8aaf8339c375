package codemode.rules.team

deny contains {"code": "kind", "message": "public notes only"} if {
	input.tool.id in {"production/note"}
	not input.call.args.kind == "public"
}
