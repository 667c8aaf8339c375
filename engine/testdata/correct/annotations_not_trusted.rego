package codemode.rules.team

deny contains {"code": "claims_writing", "message": "the server itself says that it writes"} if not _says_read_only

_says_read_only if input.tool.annotations.readOnlyHint == true
