async def create_entities(params: dict) -> dict:
    """
    Create multiple new entities in the knowledge graph

    params: entities: list[{name: str, entityType: str, observations: list[str]}]
    returns: entities: list[{name: str, entityType: str, observations: list[str]}]
    """


async def create_relations(params: dict) -> dict:
    """
    Create multiple new relations between entities in the knowledge graph. Relations should be in active voice

    params: relations: list[{"from": str, to: str, relationType: str}]
    returns: relations: list[{"from": str, to: str, relationType: str}]
    """


async def add_observations(params: dict) -> dict:
    """
    Add new observations to existing entities in the knowledge graph

    params: observations: list[{entityName: str, contents: list[str]}]
    returns: results: list[{entityName: str, addedObservations: list[str]}]
    """


async def delete_entities(params: dict) -> dict:
    """
    Delete multiple entities and their associated relations from the knowledge graph

    params: entityNames: list[str]
      entityNames: An array of entity names to delete
    returns: success: bool, message: str
    """


async def delete_observations(params: dict) -> dict:
    """
    Delete specific observations from entities in the knowledge graph

    params: deletions: list[{entityName: str, observations: list[str]}]
    returns: success: bool, message: str
    """


async def delete_relations(params: dict) -> dict:
    """
    Delete multiple relations from the knowledge graph

    params: relations: list[{"from": str, to: str, relationType: str}]
      relations: An array of relations to delete
    returns: success: bool, message: str
    """


async def read_graph(params: dict) -> dict:
    """
    Read the entire knowledge graph

    params: none
    returns: entities: list[{name: str, entityType: str, observations: list[str]}], relations: list[{"from": str, to: str, relationType: str}]
    """


async def search_nodes(params: dict) -> dict:
    """
    Search for nodes in the knowledge graph based on a query

    params: query: str
      query: The search query to match against entity names, types, and observation content
    returns: entities: list[{name: str, entityType: str, observations: list[str]}], relations: list[{"from": str, to: str, relationType: str}]
    """


async def open_nodes(params: dict) -> dict:
    """
    Open specific nodes in the knowledge graph by their names

    params: names: list[str]
      names: An array of entity names to retrieve
    returns: entities: list[{name: str, entityType: str, observations: list[str]}], relations: list[{"from": str, to: str, relationType: str}]
    """
