# METADATA
# title: Allowlist
# description: |
#   Grants the tools that the installation lists, and refuses every other one.
#   The list is `data.codemode.config.servers[server].allow`.
package codemode.rules.allowlist

# METADATA
# title: A listed tool may be called
grant if _allowed

# METADATA
# title: The tool is on the allowlist
# description: Stops calls of tools that were left out on purpose, and of names that exist nowhere.
# custom:
#   code: tool_not_allowed
deny contains {"code": "tool_not_allowed", "message": _message} if not _allowed

_allowed if {
	input.tool.known == true
	_listed
}

_listed if data.codemode.config.servers[input.tool.server].allow[input.tool.name] == true

_listed if data.codemode.config.servers[input.tool.server].allow == "*"

default _message := "there is no such tool: call one of those in TOOLS"

_message := $`"{input.tool.id}" is not on the allowlist: use another tool of TOOLS, or finish without it` if {
	input.tool.known == true
}
