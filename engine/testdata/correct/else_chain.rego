package codemode.rules.team

deny contains {"code": "too_many", "message": $"{_most} calls at most"} if input.session.calls > _most

_most := 10 if {
	input.principal.client == "guest"
} else := 100 if {
	input.principal.client == "ci"
} else := 50
