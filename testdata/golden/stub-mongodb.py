async def aggregate_db(params: dict) -> dict:
    """
    Run an aggregation against a MongoDB database

    params: connectionId: str, database: str, pipeline: list[dict], responseBytesLimit?: float = 1048576
      connectionId: The connection to run the operation against. Use the id returned by one of the connect tools.
      database: Database name
      pipeline (at least 1 item): An array of aggregation stages to execute. The first stage must be a database-level aggregation stage (one of `$changeStream`, `$currentOp`, `$documents`, `$listLocalSessions`, `$queryStats`). https://www.mongodb.com/docs/manual/reference/mql/aggregation-stages/#db.aggregate---stages
      responseBytesLimit: The maximum number of bytes to return in the response. This value is capped by the server's configured maximum and cannot be exceeded.
    returns: documents: list, appliedLimits: list["config.maxDocumentsPerQuery" | "config.maxBytesPerQuery" | "tool.responseBytesLimit"], aggResultsCount?: float
      documents: The documents returned by the aggregation pipeline
      appliedLimits: The limits applied to the aggregation pipeline
      aggResultsCount: The total number of documents returned by the aggregation pipeline
    """


async def aggregate(params: dict) -> dict:
    """
    Run an aggregation against a MongoDB collection

    params: connectionId: str, database: str, collection: str, pipeline: list[{"$vectorSearch": {index: str, path: str, queryVector: list[float], exact?: bool = False, numCandidates?: int, limit?: int = 10, filter?: dict} | {index: str, path: str, query: {text: str}, exact?: bool = False, numCandidates?: int, limit?: int = 10, filter?: dict, model?: "voyage-4" | "voyage-4-large" | "voyage-4-lite" | "voyage-code-3"}} | dict], responseBytesLimit?: float = 1048576
      connectionId: The connection to run the operation against. Use the id returned by one of the connect tools.
      database: Database name
      collection: Collection name
      pipeline: An array of aggregation stages to execute. If the user has asked for a vector search, `$vectorSearch` **MUST** be the first stage of the pipeline (or the first stage of a `$unionWith` sub-pipeline only when explicitly combining unrelated result sets — for hybrid full-text + vector search, use `$rankFusion` or `$scoreFusion` instead, see below). If the user has asked for lexical/Atlas search, use `$search` instead of `$text`. ### Usage Rules for `$vectorSearch` - **Index Type Detection:** Use the collection-indexes tool to determine if the target field has a classic vector index (type: 'vector') or an auto-embed index (type: 'autoEmbed'). - **Classic Vector Search (type: 'vector'):** Use 'queryVector' with embeddings as an array of numbers. - **Auto-Embed Vector Search (type: 'autoEmbed'):** Use 'query' - MongoDB automatically generates embeddings at query time. Do NOT use 'queryVector' or 'embeddingParameters' for auto-embed indexes. - **Unset embeddings:** Unless the user explicitly requests the embe [...]
      pipeline[]."$vectorSearch".index: Name of the index, as retrieved from the `collection-indexes` tool.
      pipeline[]."$vectorSearch".path: Field, in dot notation, where to search. There must be a vector search index for that field.
      pipeline[]."$vectorSearch".queryVector: The vector embeddings to search for when using classic vector search indexes (type: 'vector'). Provide embeddings as an array of numbers. Use this for classic vector indexes. For auto-embed indexes (type: 'autoEmbed'), use 'query' instead.
      pipeline[]."$vectorSearch".exact: When true, uses an ENN algorithm, otherwise uses ANN. Using ENN is not compatible with numCandidates, in that case, numCandidates must be left empty.
      pipeline[]."$vectorSearch".numCandidates (more than 0, at most 9007199254740991): Number of candidates for the ANN algorithm. Mandatory when exact is false.
      pipeline[]."$vectorSearch".limit (more than 0, at most 9007199254740991)
      pipeline[]."$vectorSearch".filter: MQL filter that can only use filter fields from the index definition. Note to LLM: If unsure, use the `collection-indexes` tool to learn which fields can be used for filtering.
      pipeline[]."$vectorSearch".query: The query to search for when using auto-embed indexes (type: 'autoEmbed'). MongoDB will automatically generate embeddings for the text at query time. Use this for auto-embed indexes, not 'queryVector'.
      pipeline[]."$vectorSearch".query.text: The text query to search for.
      pipeline[]."$vectorSearch".model: The embedding model to use for generating embeddings from the query text. If not specified, defaults to the model configured in the auto-embed index definition.
      responseBytesLimit: The maximum number of bytes to return in the response. This value is capped by the server's configured maximum and cannot be exceeded.
    returns: documents: list, count: float | "indeterminate", appliedLimits: list["config.maxDocumentsPerQuery" | "config.maxBytesPerQuery" | "tool.responseBytesLimit"]
      documents: The documents returned by the aggregation pipeline
      count: The total number of documents returned by the aggregation pipeline
      appliedLimits: The limits applied to the aggregation pipeline
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
      connectionName: Optional short label for the connection (stored slugified with a short suffix, e.g. "staging" becomes staging-<suffix>). Shown in connection listings; helpful for telling multiple connections apart.
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
      count: The number of documents in the collection
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
      definition[].keys: The index definition
      definition[].keys.*: The index key and its direction
      definition[].fields (at least 1 item): Definitions for the vector, autoEmbed and filter fields to index, one definition per document. Use 'vector' when user specifies a dedicated field that could contain vector embeddings. Use 'autoEmbed' when user wants MongoDB to automatically generate and manage embeddings internally from a text field (no separate embeddings field). Use 'filter' for additional fields to filter on. At least one 'vector' or 'autoEmbed' type field definition is required.
      definition[].fields[].path: Name of the field to index. For nested fields, use dot notation to specify path to embedded fields
      definition[].fields[].path: Name of the field containing vector embeddings as arrays of numbers. This must be a dedicated embeddings field, separate from any source text field, if any. For nested fields, use dot notation to specify path to embedded fields.
      definition[].fields[].numDimensions (1 to 8192): Number of vector dimensions that MongoDB Vector Search enforces at index-time and query-time
      definition[].fields[].similarity: Vector similarity function to use to search for top K-nearest neighbors. You can set this field only for vector-type fields.
      definition[].fields[].quantization: Type of automatic vector quantization for your vectors. Use this setting only if your embeddings are float or double vectors.
      definition[].fields[].path: Name of the field containing the source text from which embeddings will be automatically generated by MongoDB. This should be the text field itself, NOT a separate embeddings field containing the vector embeddings. For nested fields, use dot notation to specify the path to embedded fields.
      definition[].fields[].model: Voyage embedding model to use for automatically generating embeddings from the source text in the indexed field.
      definition[].fields[].modality: The data type / modality of the source content in the indexed field. Currently only 'text' is supported.
      definition[].mappings: Document describing the index to create. `fields` is required and must define at least one field when `dynamic` is `false` (the default). When `dynamic` is `true` or a typeSet object, `fields` may still be provided to index additional fields explicitly.
      definition[].mappings.dynamic: Enables or disables dynamic mapping of fields for this index. If set to true, Atlas Search recursively indexes all dynamically indexable fields. If set to false, you must specify individual fields to index using mappings.fields. Can also be set to `{ typeSet: '<name>' }` to reference a named entry in this index's `typeSets`, restricting dynamic mapping to only the field types listed in that type set.
      definition[].mappings.dynamic.typeSet: Name of a type set defined in this index's `typeSets`.
      definition[].mappings.fields: The field mapping definitions. If `dynamic` is set to `false`, this is required.
      definition[].mappings.fields.*: The field index definition. It must contain the field type (e.g. `{ type: 'string' }`), as well as any additional options for that field type (e.g. `analyzer`). Field types include `autocomplete`, `boolean`, `date`, `dateFacet`, `document`, `embeddedDocuments`, `geo`, `number`, `numberFacet`, `objectId`, `string`, `stringFacet`, `token`, `uuid`. Provide an array of field definitions instead of a single object to index the same field as multiple types, e.g. `[{ type: 'string' }, { type: 'autocomplete' }]`.
      definition[].analyzer: The analyzer to use for the index. Can be one of the built-in lucene analyzers (`lucene.standard`, `lucene.simple`, `lucene.whitespace`, `lucene.keyword`), a language-specific analyzer, such as `lucene.cjk` or `lucene.czech`, or a custom analyzer defined by name in `analyzers`.
      definition[].numPartitions: Specifies the number of sub-indexes to create if the document count exceeds two billion. If omitted, defaults to 1.
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
      indexName (at least 1 character): The name of the index to be dropped.
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
      method[].arguments.pipeline: An array of aggregation stages to execute. If the user has asked for a vector search, `$vectorSearch` **MUST** be the first stage of the pipeline (or the first stage of a `$unionWith` sub-pipeline only when explicitly combining unrelated result sets — for hybrid full-text + vector search, use `$rankFusion` or `$scoreFusion` instead, see below). If the user has asked for lexical/Atlas search, use `$search` instead of `$text`. ### Usage Rules for `$vectorSearch` - **Index Type Detection:** Use the collection-indexes tool to determine if the target field has a classic vector index (type: 'vector') or an auto-embed index (type: 'autoEmbed'). - **Classic Vector Search (type: 'vector'):** Use 'queryVector' with embeddings as an array of numbers. - **Auto-Embed Vector Search (type: 'autoEmbed'):** Use 'query' - MongoDB automatically generates embeddings at query time. Do NOT use 'queryVector' or 'embeddingParameters' for auto-embed indexes. - **Unset embeddings:** Unless the user explicitly requests the embe [...]
      method[].arguments.filter: The query filter, matching the syntax of the query argument of db.collection.find()
      method[].arguments.projection: The projection, matching the syntax of the projection argument of db.collection.find()
      method[].arguments.limit: The maximum number of documents to return
      method[].arguments.sort: A document, describing the sort order, matching the syntax of the sort argument of cursor.sort(). The keys of the object are the fields to sort on, while the values are the sort directions (1 for ascending, -1 for descending).
      method[].arguments.sort.*: The sort key and its direction
      method[].arguments.query: A filter/query parameter. Allows users to filter the documents to count. Matches the syntax of the filter argument of db.collection.count().
      verbosity: The verbosity of the explain plan, defaults to queryPlanner. If the user wants to know how fast is a query in execution time, use executionStats. It supports all verbosities as defined in the MongoDB Driver.
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
      exportTarget[].name: The literal name 'find' to represent a find cursor as target.
      exportTarget[].arguments: The arguments for 'find' operation.
      exportTarget[].arguments.filter: The query filter, matching the syntax of the query argument of db.collection.find()
      exportTarget[].arguments.projection: The projection, matching the syntax of the projection argument of db.collection.find()
      exportTarget[].arguments.sort: A document, describing the sort order, matching the syntax of the sort argument of cursor.sort(). The keys of the object are the fields to sort on, while the values are the sort directions (1 for ascending, -1 for descending).
      exportTarget[].arguments.sort.*: The sort key and its direction
      exportTarget[].name: The literal name 'aggregate' to represent an aggregation cursor as target.
      exportTarget[].arguments: The arguments for 'aggregate' operation.
      exportTarget[].arguments.pipeline: An array of aggregation stages to execute. If the user has asked for a vector search, `$vectorSearch` **MUST** be the first stage of the pipeline (or the first stage of a `$unionWith` sub-pipeline only when explicitly combining unrelated result sets — for hybrid full-text + vector search, use `$rankFusion` or `$scoreFusion` instead, see below). If the user has asked for lexical/Atlas search, use `$search` instead of `$text`. ### Usage Rules for `$vectorSearch` - **Index Type Detection:** Use the collection-indexes tool to determine if the target field has a classic vector index (type: 'vector') or an auto-embed index (type: 'autoEmbed'). - **Classic Vector Search (type: 'vector'):** Use 'queryVector' with embeddings as an array of numbers. - **Auto-Embed Vector Search (type: 'autoEmbed'):** Use 'query' - MongoDB automatically generates embeddings at query time. Do NOT use 'queryVector' or 'embeddingParameters' for auto-embed indexes. - **Unset embeddings:** Unless the user explicitly requests the embe [...]
      jsonExportFormat: The format to be used when exporting collection data as EJSON with default being relaxed. relaxed: A string format that emphasizes readability and interoperability at the expense of type preservation. That is, conversion from relaxed format to BSON can lose type information. canonical: A string format that emphasizes type preservation at the expense of readability and interoperability. That is, conversion from canonical to BSON will generally preserve type information except in certain specific cases.
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
      sort: A document, describing the sort order, matching the syntax of the sort argument of cursor.sort(). The keys of the object are the fields to sort on, while the values are the sort directions (1 for ascending, -1 for descending).
      sort.*: The sort key and its direction
      responseBytesLimit: The maximum number of bytes to return in the response. This value is capped by the server's configured maximum and cannot be exceeded.
    returns: documents: list, appliedLimits: list["config.maxDocumentsPerQuery" | "config.maxBytesPerQuery" | "tool.responseBytesLimit"], queryResultsCount?: float
      documents: The documents returned by the find query
      appliedLimits: The limits applied to the find query
      queryResultsCount: The total number of documents returned by the find query
    """


async def insert_many(params: dict) -> dict:
    """
    Insert an array of documents into a MongoDB collection. If the list of documents is above com.mongodb/maxRequestPayloadBytes, consider inserting them in batches.

    params: connectionId: str, database: str, collection: str, documents: list[dict]
      connectionId: The connection to run the operation against. Use the id returned by one of the connect tools.
      database: Database name
      collection: Collection name
      documents: The array of documents to insert, matching the syntax of the document argument of db.collection.insertMany().
      documents[]: An individual MongoDB document
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
      limit (1 to 1024): The maximum number of log entries to return.
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
      deploymentName (matching "^[\\\\x20-\\\\x7E]*$"): Name of the deployment to create
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
      deploymentName (matching "^[\\\\x20-\\\\x7E]*$"): Name of the deployment to delete
    returns: deleted: bool, deploymentName: str
    """


async def atlas_local_connect_deployment(params: dict) -> dict:
    """
    Connect to a MongoDB Atlas Local deployment and get back a connectionId to pass to the other MongoDB tools

    params: deploymentName: str
      deploymentName (matching "^[\\\\x20-\\\\x7E]*$"): Name of the deployment to connect to
    returns: connected: bool, deploymentName: str, connectionId?: str
    """


async def search_knowledge(params: dict) -> str:
    """
    Search for information in the MongoDB Assistant knowledge base. This includes official documentation, curated expert guidance, and other resources provided by MongoDB. Supports filtering by data source and version.

    params: query: str, limit?: float = 5, dataSources?: list[{name: str, versionLabel?: str}]
      query: A natural language query to search for in the MongoDB Assistant knowledge base. This should be a single question or a topic that is relevant to the user's MongoDB use case.
      limit (1 to 100): The maximum number of results to return
      dataSources: A list of one or more data sources to limit the search to. You can specify a specific version of a data source by providing the version label. If not provided, the latest version of all data sources will be searched. Available data sources and their versions can be listed by calling the list-knowledge-sources tool.
      dataSources[].name: The name of the data source
      dataSources[].versionLabel: The version label of the data source
    """


async def list_knowledge_sources(params: dict) -> str:
    """
    List available data sources in the MongoDB Assistant knowledge base. Use this to explore available data sources or to find search filter parameters to use in search-knowledge.

    params: none
    """
