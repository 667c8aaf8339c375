package codemode.rules.team

deny contains {"code": "force", "message": "no force"} if object.get(input.call.args, "force", false) == true
