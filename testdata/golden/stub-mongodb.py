async def aggregate_db(params: dict) -> dict:
    """
    Run an aggregation against a MongoDB database

    params: connectionId: str, database: str, pipeline: list[dict], responseBytesLimit?: float = 1048576
      connectionId: The connection to run the operation against. Use the id returned by one of the connect tools.
      database: Database name
      pipeline: An array of aggregation stages to execute. The first stage must be a database-level aggregation stage (one of `$changeStream`, `$currentOp`, `$documents`, [...]
      responseBytesLimit: The maximum number of bytes to return in the response. This value is capped by the server's configured maximum and cannot be exceeded.
    returns: documents: list, appliedLimits: list["config.maxDocumentsPerQuery" | "config.maxBytesPerQuery" | "tool.responseBytesLimit"], aggResultsCount?: float
    """


async def aggregate(params: dict) -> dict:
    """
    Run an aggregation against a MongoDB collection

    params: connectionId: str, database: str, collection: str, pipeline: list[{"$vectorSearch": {index: str, path: str, queryVector: list[float], exact?: bool = False, numCandidates?: int, limit?: int = 10, filter?: dict} | {index: str, path: str, query: {text: str}, exact?: bool = False, numCandidates?: int, limit?: int = 10, filter?: dict, model?: "voyage-4" | "voyage-4-large" | "voyage-4-lite" | "voyage-code-3"}} | dict], responseBytesLimit?: float = 1048576
      connectionId: The connection to run the operation against. Use the id returned by one of the connect tools.
      database: Database name
      collection: Collection name
      pipeline: An array of aggregation stages to execute. If the user has asked for a vector search, `$vectorSearch` **MUST** be the first stage of the pipeline (or the [...]
      responseBytesLimit: The maximum number of bytes to return in the response. This value is capped by the server's configured maximum and cannot be exceeded.
    returns: documents: list, count: float | "indeterminate", appliedLimits: list["config.maxDocumentsPerQuery" | "config.maxBytesPerQuery" | "tool.responseBytesLimit"]
    """


async def collection_indexes(params: dict) -> dict:
    """
    Describe the indexes for a collection

    params: connectionId: str, database: str, collection: str
      connectionId: The connection to run the operation against. Use the id returned by one of the connect tools.
      database: Database name
      collection: Collection name
    returns: classicIndexes: list[{name: str, key: dict}], searchIndexes: list[{name: str, type: str, status: str, queryable: bool, latestDefinition: dict}], classicIndexesCount: float, searchIndexesCount: float
    """


async def collection_schema(params: dict) -> dict:
    """
    Describe the schema for a collection

    params: connectionId: str, database: str, collection: str, sampleSize?: float = 50, responseBytesLimit?: float = 1048576
      connectionId: The connection to run the operation against. Use the id returned by one of the connect tools.
      database: Database name
      collection: Collection name
      sampleSize: Number of documents to sample for schema inference
      responseBytesLimit: The maximum number of bytes to return in the response. This value is capped by the server's configured maximum and cannot be exceeded.
    returns: schema: dict, fieldsCount: float
    """


async def collection_storage_size(params: dict) -> dict:
    """
    Gets the size of the collection

    params: connectionId: str, database: str, collection: str
      connectionId: The connection to run the operation against. Use the id returned by one of the connect tools.
      database: Database name
      collection: Collection name
    returns: size: float, units: str
    """


async def connect(params: dict) -> str:
    """
    Connect to a MongoDB instance and get back a connectionId to pass to the other MongoDB tools. Each call establishes a new, independent connection — multiple connections can be active at the same time.

    params: connectionString: str, connectionName?: str
      connectionString: MongoDB connection string (in the mongodb:// or mongodb+srv:// format)
      connectionName: Optional short label for the connection (stored slugified with a short suffix, e.g. "staging" becomes staging-<suffix>). Shown in connection listings; hel [...]
    returns: connectionId
    """


async def count(params: dict) -> dict:
    """
    Gets the number of documents in a MongoDB collection using db.collection.count() and query as an optional filter parameter

    params: connectionId: str, database: str, collection: str, query?: dict
      connectionId: The connection to run the operation against. Use the id returned by one of the connect tools.
      database: Database name
      collection: Collection name
      query: A filter/query parameter. Allows users to filter the documents to count. Matches the syntax of the filter argument of db.collection.count().
    returns: count: float
    """


async def create_collection(params: dict) -> dict:
    """
    Creates a new collection in a database. If the database doesn't exist, it will be created automatically.

    params: connectionId: str, database: str, collection: str
      connectionId: The connection to run the operation against. Use the id returned by one of the connect tools.
      database: Database name
      collection: Collection name
    returns: database: str, collection: str, created: bool
    """


async def create_index(params: dict) -> dict:
    """
    Create an index for a collection

    params: connectionId: str, database: str, collection: str, definition: list[{type: "classic", keys: dict[str, 1 | -1 | "2d" | "2dsphere" | "text" | "geoHaystack" | "hashed"]} | {type: "vectorSearch", fields: list[{type: "filter", path: str} | {type: "vector", path: str, numDimensions?: float = 1024, similarity?: "cosine" | "euclidean" | "dotProduct" = "euclidean", quantization?: "none" | "scalar" | "binary" = "none"} | {type: "autoEmbed", path: str, model: "voyage-4" | "voyage-4-large" | "voyage-4-lite" | "voyage-code-3", modality: "text"}]} | {type: "search", mappings: {dynamic?: bool | {typeSet: str} = False, fields?: dict}, analyzer?: str = "lucene.standard", numPartitions?: "1" | "2" | "4" = "1"}], name?: str
      connectionId: The connection to run the operation against. Use the id returned by one of the connect tools.
      database: Database name
      collection: Collection name
      definition: The index definition. Use 'classic' for standard indexes, 'vectorSearch' for vector search indexes, and 'search' for Atlas Search (lexical) indexes.
      name: The name of the index
    returns: database: str, collection: str, indexName: str, indexType: "classic" | "vectorSearch" | "search"
    """


async def db_stats(params: dict) -> dict:
    """
    Returns statistics that reflect the use state of a single database

    params: connectionId: str, database: str
      connectionId: The connection to run the operation against. Use the id returned by one of the connect tools.
      database: Database name
    returns: stats: dict
    """


async def delete_many(params: dict) -> dict:
    """
    Removes all documents that match the filter from a MongoDB collection

    params: connectionId: str, database: str, collection: str, filter?: dict
      connectionId: The connection to run the operation against. Use the id returned by one of the connect tools.
      database: Database name
      collection: Collection name
      filter: The query filter, specifying the deletion criteria. Matches the syntax of the filter argument of db.collection.deleteMany()
    returns: database: str, collection: str, deletedCount: float
    """


async def disconnect(params: dict) -> str:
    """
    Close a MongoDB connection and revoke its connectionId.

    params: connectionId: str
      connectionId: The connectionId to disconnect.
    returns: "removed" | "disconnected"
    """


async def drop_collection(params: dict) -> dict:
    """
    Removes a collection or view from the database. The method also removes any indexes associated with the dropped collection.

    params: connectionId: str, database: str, collection: str
      connectionId: The connection to run the operation against. Use the id returned by one of the connect tools.
      database: Database name
      collection: Collection name
    returns: database: str, collection: str, dropped: bool
    """


async def drop_database(params: dict) -> dict:
    """
    Removes the specified database, deleting the associated data files

    params: connectionId: str, database: str
      connectionId: The connection to run the operation against. Use the id returned by one of the connect tools.
      database: Database name
    returns: database: str, dropped: bool
    """


async def drop_index(params: dict) -> dict:
    """
    Drop an index for the provided database and collection.

    params: connectionId: str, database: str, collection: str, indexName: str, type: "classic" | "search"
      connectionId: The connection to run the operation against. Use the id returned by one of the connect tools.
      database: Database name
      collection: Collection name
      indexName: The name of the index to be dropped.
      type: The type of index to be deleted. Use 'classic' for standard indexes and 'search' for atlas search and vector search indexes.
    returns: database: str, collection: str, indexName: str, dropped: bool
    """


async def explain(params: dict) -> dict:
    """
    Returns statistics describing the execution of the winning plan chosen by the query optimizer for the evaluated method

    params: connectionId: str, database: str, collection: str, method: list[{name: "aggregate", arguments: {pipeline: list[{"$vectorSearch": dict} | dict]}} | {name: "find", arguments: {filter?: dict, projection?: dict, limit?: float = 10, sort?: dict[str, 1 | -1 | "asc" | "desc" | "ascending" | "descending" | {"$meta": str}]}} | {name: "count", arguments: {query?: dict}}], verbosity?: "queryPlanner" | "queryPlannerExtended" | "executionStats" | "allPlansExecution" = "queryPlanner"
      connectionId: The connection to run the operation against. Use the id returned by one of the connect tools.
      database: Database name
      collection: Collection name
      method: The method and its arguments to run
      verbosity: The verbosity of the explain plan, defaults to queryPlanner. If the user wants to know how fast is a query in execution time, use executionStats. It suppo [...]
    returns: explainResult: dict, method: "aggregate" | "find" | "count", verbosity: "queryPlanner" | "queryPlannerExtended" | "executionStats" | "allPlansExecution"
    """


async def export(params: dict) -> str:
    """
    Export a query or aggregation results in the specified EJSON format.

    params: connectionId: str, database: str, collection: str, exportTitle: str, exportTarget: list[{name: "find", arguments: {filter?: dict, projection?: dict, limit?: float, sort?: dict[str, 1 | -1 | "asc" | "desc" | "ascending" | "descending" | {"$meta": str}]}} | {name: "aggregate", arguments: {pipeline: list[{"$vectorSearch": dict} | dict]}}], jsonExportFormat?: "relaxed" | "canonical" = "relaxed"
      connectionId: The connection to run the operation against. Use the id returned by one of the connect tools.
      database: Database name
      collection: Collection name
      exportTitle: A short description to uniquely identify the export.
      exportTarget: The export target along with its arguments.
      jsonExportFormat: The format to be used when exporting collection data as EJSON with default being relaxed. relaxed: A string format that emphasizes readability and interop [...]
    """


async def find(params: dict) -> dict:
    """
    Run a find query against a MongoDB collection

    params: connectionId: str, database: str, collection: str, filter?: dict, projection?: dict, limit?: float = 10, sort?: dict[str, 1 | -1 | "asc" | "desc" | "ascending" | "descending" | {"$meta": str}], responseBytesLimit?: float = 1048576
      connectionId: The connection to run the operation against. Use the id returned by one of the connect tools.
      database: Database name
      collection: Collection name
      filter: The query filter, matching the syntax of the query argument of db.collection.find()
      projection: The projection, matching the syntax of the projection argument of db.collection.find()
      limit: The maximum number of documents to return
      sort: A document, describing the sort order, matching the syntax of the sort argument of cursor.sort(). The keys of the object are the fields to sort on, while [...]
      responseBytesLimit: The maximum number of bytes to return in the response. This value is capped by the server's configured maximum and cannot be exceeded.
    returns: documents: list, appliedLimits: list["config.maxDocumentsPerQuery" | "config.maxBytesPerQuery" | "tool.responseBytesLimit"], queryResultsCount?: float
    """


async def insert_many(params: dict) -> dict:
    """
    Insert an array of documents into a MongoDB collection. If the list of documents is above com.mongodb/maxRequestPayloadBytes, consider inserting them in batches.

    params: connectionId: str, database: str, collection: str, documents: list[dict]
      connectionId: The connection to run the operation against. Use the id returned by one of the connect tools.
      database: Database name
      collection: Collection name
      documents: The array of documents to insert, matching the syntax of the document argument of db.collection.insertMany().
    returns: database: str, collection: str, insertedCount: float, insertedIds: list
    """


async def list_collections(params: dict) -> dict:
    """
    List all collections for a given database

    params: connectionId: str, database: str
      connectionId: The connection to run the operation against. Use the id returned by one of the connect tools.
      database: Database name
    returns: collections: list[{name: str}], totalCount: float
    """


async def list_connections(params: dict) -> dict:
    """
    List the active MongoDB connections and their connectionIds. Use this to find a connectionId established earlier.

    params: none
    returns: connections: list[{connectionId: str, name: str, source: "explicit" | "preconfigured", description: str, createdAt: str, lastUsedAt: str, state?: "connected" | "connecting" | "disconnected" | "errored", lastError?: str}]
    """


async def list_databases(params: dict) -> dict:
    """
    List all databases for a MongoDB connection

    params: connectionId: str
      connectionId: The connection to run the operation against. Use the id returned by one of the connect tools.
    returns: databases: list[{name: str, size: float}], totalCount: float
    """


async def mongodb_logs(params: dict) -> dict:
    """
    Returns the most recent logged mongod events

    params: connectionId: str, type?: "global" | "startupWarnings" = "global", limit?: int = 50
      connectionId: The connection to run the operation against. Use the id returned by one of the connect tools.
      type: The type of logs to return. Global returns all recent log entries, while startupWarnings returns only warnings and errors from when the process started.
      limit: The maximum number of log entries to return.
    returns: logs: list[str], totalLinesWritten: float, shownCount: float
    """


async def rename_collection(params: dict) -> dict:
    """
    Renames a collection in a MongoDB database

    params: connectionId: str, database: str, collection: str, newName: str, dropTarget?: bool = False
      connectionId: The connection to run the operation against. Use the id returned by one of the connect tools.
      database: Database name
      collection: Collection name
      newName: The new name for the collection
      dropTarget: If true, drops the target collection if it exists
    returns: database: str, oldCollection: str, newCollection: str, renamed: bool
    """


async def update_many(params: dict) -> dict:
    """
    Updates all documents that match the specified filter for a collection. If the list of documents is above com.mongodb/maxRequestPayloadBytes, consider updating them in batches.

    params: connectionId: str, database: str, collection: str, update: dict, filter?: dict, upsert?: bool
      connectionId: The connection to run the operation against. Use the id returned by one of the connect tools.
      database: Database name
      collection: Collection name
      update: An update document describing the modifications to apply using update operator expressions
      filter: The selection criteria for the update, matching the syntax of the filter argument of db.collection.updateOne()
      upsert: Controls whether to insert a new document if no documents match the filter
    returns: database: str, collection: str, matchedCount: float, modifiedCount: float, upsertedCount: float, upsertedId?: str
    """


async def atlas_local_create_deployment(params: dict) -> dict:
    """
    Create a MongoDB Atlas local deployment. Default image is preview. When the user does not specify an image tag, inform them that preview is used by default and provide this link for more information: https://hub.docker.com/r/mongodb/mongodb-atlas-local

    params: deploymentName?: str, loadSampleData?: bool = False, imageTag?: str = "preview"
      deploymentName: Name of the deployment to create
      loadSampleData: Load sample data into the deployment
      imageTag: Atlas Local image tag: 'preview', 'latest', or a semver (e.g. '8.0.0'). Default: 'preview'.
    returns: deploymentName: str, containerId: str, loadSampleData: bool, imageTag: str
    """


async def atlas_local_list_deployments(params: dict) -> dict:
    """
    List MongoDB Atlas local deployments

    params: none
    returns: count: float, deployments: list[{state: str, mongodbVersion: str, name?: str}]
    """


async def atlas_local_delete_deployment(params: dict) -> dict:
    """
    Delete a MongoDB Atlas local deployment

    params: deploymentName: str
      deploymentName: Name of the deployment to delete
    returns: deleted: bool, deploymentName: str
    """


async def atlas_local_connect_deployment(params: dict) -> dict:
    """
    Connect to a MongoDB Atlas Local deployment and get back a connectionId to pass to the other MongoDB tools

    params: deploymentName: str
      deploymentName: Name of the deployment to connect to
    returns: connected: bool, deploymentName: str, connectionId?: str
    """


async def search_knowledge(params: dict) -> str:
    """
    Search for information in the MongoDB Assistant knowledge base. This includes official documentation, curated expert guidance, and other resources provided by MongoDB. Supports filtering by data source and version.

    params: query: str, limit?: float = 5, dataSources?: list[{name: str, versionLabel?: str}]
      query: A natural language query to search for in the MongoDB Assistant knowledge base. This should be a single question or a topic that is relevant to the user's [...]
      limit: The maximum number of results to return
      dataSources: A list of one or more data sources to limit the search to. You can specify a specific version of a data source by providing the version label. If not prov [...]
    """


async def list_knowledge_sources(params: dict) -> str:
    """
    List available data sources in the MongoDB Assistant knowledge base. Use this to explore available data sources or to find search filter parameters to use in search-knowledge.

    params: none
    """
