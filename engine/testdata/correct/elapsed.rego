package codemode.rules.team

deny contains {"code": "too_late", "message": "this run has taken its minute"} if not _early

_early if input.run.elapsed_ms < 60000
