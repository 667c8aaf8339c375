async def echo(params: dict) -> str:
    """
    Echoes back the input string

    params: message: str
    """


async def get_annotated_message(params: dict) -> str:
    """
    Demonstrates how annotations can be used to provide metadata about content.

    params: messageType: "error" | "success" | "debug", includeImage?: bool = False
    """


async def get_env(params: dict) -> str:
    """
    Returns all environment variables, helpful for debugging MCP server configuration

    params: none
    """


async def get_resource_links(params: dict) -> str:
    """
    Returns up to ten resource links that reference different types of resources

    params: count?: float = 3
    """


async def get_resource_reference(params: dict) -> str:
    """
    Returns a resource reference that can be used by MCP clients

    params: resourceType?: "Text" | "Blob" = "Text", resourceId?: float = 1
    """


async def get_structured_content(params: dict) -> dict:
    """
    Returns structured content along with an output schema for client data validation

    params: location: "New York" | "Chicago" | "Los Angeles"
    returns: temperature: float, conditions: str, humidity: float
    """


async def get_sum(params: dict) -> str:
    """
    Returns the sum of two numbers

    params: a: float, b: float
    """


async def get_tiny_image(params: dict) -> str:
    """
    Returns a tiny MCP logo image.

    params: none
    """


async def gzip_file_as_resource(params: dict) -> str:
    """
    Compresses a single file using gzip compression. Depending upon the selected output type, returns either the compressed data as a gzipped resource or a resource link, allowing it to be downloaded in a subsequent request during the current session.

    params: name?: str = "README.md.gz", data?: str = "https://raw.githubusercontent.com/modelc"..., outputType?: "resourceLink" | "resource" = "resourceLink"
    """


async def toggle_simulated_logging(params: dict) -> str:
    """
    Toggles simulated, random-leveled logging on or off.

    params: none
    """


async def toggle_subscriber_updates(params: dict) -> str:
    """
    Toggles simulated resource subscription updates on or off.

    params: none
    """


async def trigger_long_running_operation(params: dict) -> str:
    """
    Demonstrates a long running operation with progress updates.

    params: duration?: float = 10, steps?: float = 5
    """


async def get_roots_list(params: dict) -> str:
    """
    Lists the current MCP roots provided by the client. Demonstrates the roots protocol capability even though this server doesn't access files.

    params: none
    """


async def simulate_research_query(params: dict) -> str:
    """
    Simulates a deep research operation that gathers, analyzes, and synthesizes information. Demonstrates MCP task-based operations with progress through multiple stages. If 'ambiguous' is true and client supports elicitation, sends an elicitation request for clarification.

    params: topic: str, ambiguous?: bool = False
    """
