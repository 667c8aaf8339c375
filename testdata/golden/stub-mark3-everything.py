async def add(params: dict) -> str:
    """
    Adds two numbers

    params: a: float, b: float
      a: First number
      b: Second number
    """


async def echo(params: dict) -> str:
    """
    Echoes back the input

    params: message: str
      message: Message to echo
    """


async def getTinyImage(params: dict) -> str:
    """
    Returns the MCP_TINY_IMAGE

    params: none
    """


async def get_resource_link(params: dict) -> str:
    """
    Returns a resource link example

    params: resource_type?: str = "document"
      resource_type: Type of resource to link to
    """


async def longRunningOperation(params: dict) -> str:
    """
    Demonstrates a long running operation with progress updates

    params: duration?: float = 10, steps?: float = 5
      duration: Duration of the operation in seconds
      steps: Number of steps in the operation
    """


async def notify(params: dict) -> str:
    """
    params: none
    """
