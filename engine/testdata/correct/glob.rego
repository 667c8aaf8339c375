package codemode.rules.team

deny contains {"code": "names", "message": "only tools of staging"} if not _staging

_staging if glob.match("staging/*", ["/"], input.tool.id)
