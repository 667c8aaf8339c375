package codemode.rules.team

deny contains {"code": "frozen", "message": "production is frozen until the incident is over"} if {
	input.tool.server == "production"
	not _emergency
}

_emergency if {
	input.principal.client == "ci"
	input.time_ns < time.parse_rfc3339_ns("2026-03-05T00:00:00Z")
}
