async def create_entities(params: dict) -> dict:
    """
    Create multiple new entities in the knowledge graph

    params: entities: list[{name: str, entityType: str, observations: list[str]}]
      entities[].name: The name of the entity
      entities[].entityType: The type of the entity
      entities[].observations: An array of observation contents associated with the entity
    returns: entities: list[{name: str, entityType: str, observations: list[str]}]
      entities[].name: The name of the entity
      entities[].entityType: The type of the entity
      entities[].observations: An array of observation contents associated with the entity
    """


async def create_relations(params: dict) -> dict:
    """
    Create multiple new relations between entities in the knowledge graph. Relations should be in active voice

    params: relations: list[{"from": str, to: str, relationType: str}]
      relations[]."from": The name of the entity where the relation starts
      relations[].to: The name of the entity where the relation ends
      relations[].relationType: The type of the relation
    returns: relations: list[{"from": str, to: str, relationType: str}]
      relations[]."from": The name of the entity where the relation starts
      relations[].to: The name of the entity where the relation ends
      relations[].relationType: The type of the relation
    """


async def add_observations(params: dict) -> dict:
    """
    Add new observations to existing entities in the knowledge graph

    params: observations: list[{entityName: str, contents: list[str]}]
      observations[].entityName: The name of the entity to add the observations to
      observations[].contents: An array of observation contents to add
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
      deletions[].entityName: The name of the entity containing the observations
      deletions[].observations: An array of observations to delete
    returns: success: bool, message: str
    """


async def delete_relations(params: dict) -> dict:
    """
    Delete multiple relations from the knowledge graph

    params: relations: list[{"from": str, to: str, relationType: str}]
      relations: An array of relations to delete
      relations[]."from": The name of the entity where the relation starts
      relations[].to: The name of the entity where the relation ends
      relations[].relationType: The type of the relation
    returns: success: bool, message: str
    """


async def read_graph(params: dict) -> dict:
    """
    Read the entire knowledge graph

    params: none
    returns: entities: list[{name: str, entityType: str, observations: list[str]}], relations: list[{"from": str, to: str, relationType: str}]
      entities[].name: The name of the entity
      entities[].entityType: The type of the entity
      entities[].observations: An array of observation contents associated with the entity
      relations[]."from": The name of the entity where the relation starts
      relations[].to: The name of the entity where the relation ends
      relations[].relationType: The type of the relation
    """


async def search_nodes(params: dict) -> dict:
    """
    Search for nodes in the knowledge graph based on a query

    params: query: str
      query: The search query to match against entity names, types, and observation content
    returns: entities: list[{name: str, entityType: str, observations: list[str]}], relations: list[{"from": str, to: str, relationType: str}]
      entities[].name: The name of the entity
      entities[].entityType: The type of the entity
      entities[].observations: An array of observation contents associated with the entity
      relations[]."from": The name of the entity where the relation starts
      relations[].to: The name of the entity where the relation ends
      relations[].relationType: The type of the relation
    """


async def open_nodes(params: dict) -> dict:
    """
    Open specific nodes in the knowledge graph by their names

    params: names: list[str]
      names: An array of entity names to retrieve
    returns: entities: list[{name: str, entityType: str, observations: list[str]}], relations: list[{"from": str, to: str, relationType: str}]
      entities[].name: The name of the entity
      entities[].entityType: The type of the entity
      entities[].observations: An array of observation contents associated with the entity
      relations[]."from": The name of the entity where the relation starts
      relations[].to: The name of the entity where the relation ends
      relations[].relationType: The type of the relation
    """
