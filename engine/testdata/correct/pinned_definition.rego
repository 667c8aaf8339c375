package codemode.rules.team

deny contains {"code": "changed", "message": "the tool is not the one that was reviewed"} if {
	input.tool.id == "production/pay"
	not _pinned
}

_pinned if input.tool.definition_sha256 == "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef"
