package codemode.rules.team

deny contains {"code": "read_only", "message": "only tools that read"} if not _reads

_reads if input.tool.id in {"staging/echo", "production/echo"}
