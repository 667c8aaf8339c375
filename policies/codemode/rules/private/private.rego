# METADATA
# title: Private data
# description: |
#   From the first call of a private tool on, only private tools can be called until the session
#   ends, so that what was read can not leave through another server.
package codemode.rules.private

# METADATA
# title: Private data stays with private tools
# description: Stops what a private tool returned from reaching a tool that is not private.
# custom:
#   code: private_data
deny contains {"code": "private_data", "message": _message} if not _stays_inside

# METADATA
# title: A call of a private tool marks the session
# description: The mark is set before the result is released, and nothing takes it off.
labels_add contains "private" if not input.tool.private == false

_stays_inside if input.tool.private == true

# Only a list of labels shows that the session is clean.
_stays_inside if {
	input.tool.private == false
	labels := input.session.labels
	is_array(labels)
	not "private" in labels
}

_message := concat("", [
	$"{_source} was called in this session, so only tools marked [private] can be called until it ends, ",
	$`and "{input.tool.id}" is not: go on with private tools, or finish with what you have`,
])

default _source := "a private tool"

_source := $`the private tool "{input.session.label_sources.private}"` if input.session.label_sources.private
