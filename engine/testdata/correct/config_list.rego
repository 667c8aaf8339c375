package codemode.rules.team

deny contains {"code": "not_ours", "message": "this server is not configured"} if not data.codemode.config.servers[input.tool.server]
