package codemode.rules.team

labels_add contains $"from_{input.tool.server}"

deny contains {"code": "mixed", "message": "production and staging are not mixed"} if {
	input.tool.server == "production"
	"from_staging" in input.session.labels
}
