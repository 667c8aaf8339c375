package codemode.rules.team

deny contains {"code": "busy", "message": "four calls at the same time"} if input.run.in_flight > 4
