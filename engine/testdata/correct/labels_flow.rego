package codemode.rules.team

labels_add contains "read_notes" if input.tool.name == "note"

deny contains {"code": "notes_stay", "message": "after reading notes nothing is paid"} if {
	input.tool.name == "pay"
	not _clean
}

_clean if {
	is_array(input.session.labels)
	not "read_notes" in input.session.labels
}
