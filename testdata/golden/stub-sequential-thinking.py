async def sequentialthinking(params: dict) -> dict:
    """
    A detailed tool for dynamic and reflective problem-solving through thoughts.
    This tool helps analyze problems through a flexible thinking process that can adapt and evolve.
    Each thought can build on, question, or revise previous insights as understanding deepens.

    When to use this tool:
    - Breaking down complex problems into steps
    - Planning and design with room for revision
    - Analysis that might need course correction
    - Problems where the full scope might not be clear initially
    - Problems that require a multi-step solution
    - Tasks that need to maintain context over multiple steps
    - Situations where irrelevant information needs to be filtered out

    Key features:
    - You can adjust total_thoughts up or down as you progress
    - You can question or revise previous thoughts
    - You can add more thoughts even after reaching what seemed like the end
    - You can express uncertainty and explore alternative approaches
    - Not every thought needs to build linearly - you can branch or backtrack
    - Generates a solution hypothesis
    - Verifies the hypothesis based on the Chain of Thought steps
    - Repeats the process until satisfied
    - Provides a correct answer

    Parameters explained:
    - thought: Your current thinking step, which can include:
      * Regular analytical steps
      * Revisions of previous thoughts
      * Questions about previous decisions
      * Realizations about needing more analysis
      * Changes in approach
      * Hypothesis generation
      * Hypothesis verification
    - nextThoughtNeeded: True if you need more thinking, even if at what seemed like the end
    - thoughtNumber: Current number in sequence (can go beyond initial total if needed)
    - totalThoughts: Current estimate of thoughts needed (can be adjusted up/down)
    - isRevision: A boolean indicating if this thought revises previous thinking
    - revisesThought: If is_revision is true, which thought number is being reconsidered
    - branchFromThought: If branchin [...]

    params: thought: str, nextThoughtNeeded: bool | str, thoughtNumber: int, totalThoughts: int, isRevision?: bool | str, revisesThought?: int, branchFromThought?: int, branchId?: str, needsMoreThoughts?: bool | str
      thought: Your current thinking step
      nextThoughtNeeded: Whether another thought step is needed
      thoughtNumber: Current thought number (numeric value, e.g., 1, 2, 3)
      totalThoughts: Estimated total thoughts needed (numeric value, e.g., 5, 10)
      isRevision: Whether this revises previous thinking
      revisesThought: Which thought is being reconsidered
      branchFromThought: Branching point thought number
      branchId: Branch identifier
      needsMoreThoughts: If more thoughts are needed
    returns: thoughtNumber: float, totalThoughts: float, nextThoughtNeeded: bool, branches: list[str], thoughtHistoryLength: float
    """
