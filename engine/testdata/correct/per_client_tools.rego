package codemode.rules.team

import data.team.clients

grant if {
	input.tool.known == true
	input.tool.id in clients[input.principal.client].tools
}
