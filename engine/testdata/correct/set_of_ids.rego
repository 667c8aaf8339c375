package codemode.rules.team

_reviewed := {"staging/echo", "staging/note", "production/echo"}

deny contains {"code": "not_reviewed", "message": $`"{input.tool.id}" has not been reviewed`} if not input.tool.id in _reviewed
