package codemode.rules.team

deny contains {"code": "large", "message": "1 KiB in production"} if {
	input.tool.server == "production"
	not _small
}

_small if input.call.args_bytes <= 1024
