package codemode.rules.team

deny contains {"code": "tags", "message": "tags a and b only"} if {
	input.tool.name == "note"
	not _fine
}

_fine if not "tags" in object.keys(input.call.args)

_fine if {
	tags := input.call.args.tags
	is_array(tags)
	count(tags) > 0
	every tag in tags {
		tag in {"a", "b"}
	}
}
