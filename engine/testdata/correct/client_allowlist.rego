package codemode.rules.team

deny contains {"code": "client_unknown", "message": "this client is not registered"} if not _registered

_registered if input.principal.client in {"claude", "ci"}
