# METADATA
# title: The dispatcher
# description: |
#   Asks every family below `codemode/rules` and combines their answers. A call is allowed
#   when at least one family grants it and none denies it, so without any family nothing is
#   allowed.
#
#   To add rules of your own, make a directory beside the others and write a family:
#
#     package codemode.rules.freeze
#
#     # METADATA
#     # title: Production is only read from
#     # custom: {code: frozen}
#     deny contains {"code": "frozen", "message": "production is frozen: only read from it"} if {
#         not _harmless
#     }
#
#     _harmless if input.tool.server in {"staging", "scratch"}
#
#     # What a server says about its own tools proves nothing: list those you have looked at.
#     _harmless if input.tool.id in {"production/status"}
#
#   The family needs no registration. It may define these names, each of them optional:
#
#     grant if ...                 this call may go out
#     visible if ...               this tool is offered to the model (a tool that can be granted is)
#     deny contains {...} if ...   a code ([a-z_], 64 at most) and a message for the model
#     labels_add contains "..."    a label that is put on the session when the call goes out
#
#   Every other name in a family starts with `_`, so that a misspelt one is noticed. Write
#   denials as above: not "deny if it looks bad" but "deny unless proved harmless". When a field
#   is absent or of the wrong type the proof fails, and the call is refused. `schemas/input.json`
#   says what there is to look at, `mcp-code-mode policy test` and `policy eval` show what it does,
#   and so do `opa test` and `opa eval` (1.12 or later) with what `policy data` prints.
# scope: subpackages
# schemas:
#   - input: schema.input
#   - data.codemode.config: schema.codemode.config
package codemode

# METADATA
# title: Decision
# description: What a call gets. It is allowed with a grant and without a denial, not otherwise.
# entrypoint: true
decision := {"allow": true, "denials": set(), "effects": {"labels_add": _labels}} if {
	_granted
	_refusals == set()
} else := {"allow": false, "denials": _reasons, "effects": {"labels_add": set()}}

# METADATA
# title: Visible
# description: Whether a tool exists for the model at all. Only `input.tool` is known here.
# entrypoint: true
default visible := false

visible if data.codemode.rules[_].visible == true

visible if _granted

# An unknown tool has no grant, whatever a family says.
_granted if {
	input.tool.known == true
	data.codemode.rules[_].grant == true
}

# A family whose `deny` is not a set makes this undefined, and no decision is no allow.
_refusals := union({denials | denials := data.codemode.rules[_].deny})

_labels := union({labels | labels := data.codemode.rules[_].labels_add})

_reasons := _refusals if _refusals != set()

_reasons := {_not_granted} if _refusals == set()

_not_granted := {
	"code": "tool_not_allowed",
	"message": $`no rule allows a call of "{input.tool.id}": use another tool`,
}
