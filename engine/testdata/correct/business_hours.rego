package codemode.rules.team

deny contains {"code": "closed", "message": "production from 8 to 18, Monday to Friday"} if {
	input.tool.server == "production"
	not _open
}

_open if {
	hour := time.clock(input.time_ns)[0]
	hour >= 8
	hour < 18
	not time.weekday(input.time_ns) in {"Saturday", "Sunday"}
}
