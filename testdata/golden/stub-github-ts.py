async def create_or_update_file(params: dict) -> str:
    """
    Create or update a single file in a GitHub repository

    params: owner: str, repo: str, path: str, content: str, message: str, branch: str, sha?: str
      owner: Repository owner (username or organization)
      repo: Repository name
      path: Path where to create/update the file
      content: Content of the file
      message: Commit message
      branch: Branch to create/update the file in
      sha: SHA of the file being replaced (required when updating existing files)
    """


async def search_repositories(params: dict) -> str:
    """
    Search for GitHub repositories

    params: query: str, page?: float, perPage?: float
      query: Search query (see GitHub search syntax)
      page: Page number for pagination (default: 1)
      perPage: Number of results per page (default: 30, max: 100)
    """


async def create_repository(params: dict) -> str:
    """
    Create a new GitHub repository in your account

    params: name: str, description?: str, private?: bool, autoInit?: bool
      name: Repository name
      description: Repository description
      private: Whether the repository should be private
      autoInit: Initialize with README.md
    """


async def get_file_contents(params: dict) -> str:
    """
    Get the contents of a file or directory from a GitHub repository

    params: owner: str, repo: str, path: str, branch?: str
      owner: Repository owner (username or organization)
      repo: Repository name
      path: Path to the file or directory
      branch: Branch to get contents from
    """


async def push_files(params: dict) -> str:
    """
    Push multiple files to a GitHub repository in a single commit

    params: owner: str, repo: str, branch: str, files: list[{path: str, content: str}], message: str
      owner: Repository owner (username or organization)
      repo: Repository name
      branch: Branch to push to (e.g., 'main' or 'master')
      files: Array of files to push
      message: Commit message
    """


async def create_issue(params: dict) -> str:
    """
    Create a new issue in a GitHub repository

    params: owner: str, repo: str, title: str, body?: str, assignees?: list[str], milestone?: float, labels?: list[str]
    """


async def create_pull_request(params: dict) -> str:
    """
    Create a new pull request in a GitHub repository

    params: owner: str, repo: str, title: str, head: str, base: str, body?: str, draft?: bool, maintainer_can_modify?: bool
      owner: Repository owner (username or organization)
      repo: Repository name
      title: Pull request title
      head: The name of the branch where your changes are implemented
      base: The name of the branch you want the changes pulled into
      body: Pull request body/description
      draft: Whether to create the pull request as a draft
      maintainer_can_modify: Whether maintainers can modify the pull request
    """


async def fork_repository(params: dict) -> str:
    """
    Fork a GitHub repository to your account or specified organization

    params: owner: str, repo: str, organization?: str
      owner: Repository owner (username or organization)
      repo: Repository name
      organization: Optional: organization to fork to (defaults to your personal account)
    """


async def create_branch(params: dict) -> str:
    """
    Create a new branch in a GitHub repository

    params: owner: str, repo: str, branch: str, from_branch?: str
      owner: Repository owner (username or organization)
      repo: Repository name
      branch: Name for the new branch
      from_branch: Optional: source branch to create from (defaults to the repository's default branch)
    """


async def list_commits(params: dict) -> str:
    """
    Get list of commits of a branch in a GitHub repository

    params: owner: str, repo: str, sha?: str, page?: float, perPage?: float
    """


async def list_issues(params: dict) -> str:
    """
    List issues in a GitHub repository with filtering options

    params: owner: str, repo: str, direction?: "asc" | "desc", labels?: list[str], page?: float, per_page?: float, since?: str, sort?: "created" | "updated" | "comments", state?: "open" | "closed" | "all"
    """


async def update_issue(params: dict) -> str:
    """
    Update an existing issue in a GitHub repository

    params: owner: str, repo: str, issue_number: float, title?: str, body?: str, assignees?: list[str], milestone?: float, labels?: list[str], state?: "open" | "closed"
    """


async def add_issue_comment(params: dict) -> str:
    """
    Add a comment to an existing issue

    params: owner: str, repo: str, issue_number: float, body: str
    """


async def search_code(params: dict) -> str:
    """
    Search for code across GitHub repositories

    params: q: str, order?: "asc" | "desc", page?: float, per_page?: float
      page (at least 1)
      per_page (1 to 100)
    """


async def search_issues(params: dict) -> str:
    """
    Search for issues and pull requests across GitHub repositories

    params: q: str, order?: "asc" | "desc", page?: float, per_page?: float, sort?: "comments" | "reactions" | "reactions-+1" | "reactions--1" | "reactions-smile" | "reactions-thinking_face" | "reactions-heart" | "reactions-tada" | "interactions" | "created" | "updated"
      page (at least 1)
      per_page (1 to 100)
    """


async def search_users(params: dict) -> str:
    """
    Search for users on GitHub

    params: q: str, order?: "asc" | "desc", page?: float, per_page?: float, sort?: "followers" | "repositories" | "joined"
      page (at least 1)
      per_page (1 to 100)
    """


async def get_issue(params: dict) -> str:
    """
    Get details of a specific issue in a GitHub repository.

    params: owner: str, repo: str, issue_number: float
    """


async def get_pull_request(params: dict) -> str:
    """
    Get details of a specific pull request

    params: owner: str, repo: str, pull_number: float
      owner: Repository owner (username or organization)
      repo: Repository name
      pull_number: Pull request number
    """


async def list_pull_requests(params: dict) -> str:
    """
    List and filter repository pull requests

    params: owner: str, repo: str, state?: "open" | "closed" | "all", head?: str, base?: str, sort?: "created" | "updated" | "popularity" | "long-running", direction?: "asc" | "desc", per_page?: float, page?: float
      owner: Repository owner (username or organization)
      repo: Repository name
      state: State of the pull requests to return
      head: Filter by head user or head organization and branch name
      base: Filter by base branch name
      sort: What to sort results by
      direction: The direction of the sort
      per_page: Results per page (max 100)
      page: Page number of the results
    """


async def create_pull_request_review(params: dict) -> str:
    """
    Create a review on a pull request

    params: owner: str, repo: str, pull_number: float, body: str, event: "APPROVE" | "REQUEST_CHANGES" | "COMMENT", commit_id?: str, comments?: list[{path: str, position: float, body: str} | {path: str, line: float, body: str}]
      owner: Repository owner (username or organization)
      repo: Repository name
      pull_number: Pull request number
      body: The body text of the review
      event: The review action to perform
      commit_id: The SHA of the commit that needs a review
      comments: Comments to post as part of the review (specify either position or line, not both)
      comments[].path: The relative path to the file being commented on
      comments[].position: The position in the diff where you want to add a review comment
      comments[].body: Text of the review comment
      comments[].line: The line number in the file where you want to add a review comment
    """


async def merge_pull_request(params: dict) -> str:
    """
    Merge a pull request

    params: owner: str, repo: str, pull_number: float, commit_title?: str, commit_message?: str, merge_method?: "merge" | "squash" | "rebase"
      owner: Repository owner (username or organization)
      repo: Repository name
      pull_number: Pull request number
      commit_title: Title for the automatic commit message
      commit_message: Extra detail to append to automatic commit message
      merge_method: Merge method to use
    """


async def get_pull_request_files(params: dict) -> str:
    """
    Get the list of files changed in a pull request

    params: owner: str, repo: str, pull_number: float
      owner: Repository owner (username or organization)
      repo: Repository name
      pull_number: Pull request number
    """


async def get_pull_request_status(params: dict) -> str:
    """
    Get the combined status of all status checks for a pull request

    params: owner: str, repo: str, pull_number: float
      owner: Repository owner (username or organization)
      repo: Repository name
      pull_number: Pull request number
    """


async def update_pull_request_branch(params: dict) -> str:
    """
    Update a pull request branch with the latest changes from the base branch

    params: owner: str, repo: str, pull_number: float, expected_head_sha?: str
      owner: Repository owner (username or organization)
      repo: Repository name
      pull_number: Pull request number
      expected_head_sha: The expected SHA of the pull request's HEAD ref
    """


async def get_pull_request_comments(params: dict) -> str:
    """
    Get the review comments on a pull request

    params: owner: str, repo: str, pull_number: float
      owner: Repository owner (username or organization)
      repo: Repository name
      pull_number: Pull request number
    """


async def get_pull_request_reviews(params: dict) -> str:
    """
    Get the reviews on a pull request

    params: owner: str, repo: str, pull_number: float
      owner: Repository owner (username or organization)
      repo: Repository name
      pull_number: Pull request number
    """
