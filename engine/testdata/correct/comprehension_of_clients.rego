package codemode.rules.team

_known := {name | some name, _ in data.team.clients}

deny contains {"code": "client", "message": "an unknown client"} if not input.principal.client in _known
