async def API_get_user(params: dict) -> str:
    """
    Notion | Retrieve a user
    Error Responses:
    400: 400

    params: user_id: str
      user_id (uuid)
    """


async def API_get_users(params: dict) -> str:
    """
    Notion | List all users
    Error Responses:
    400: 400

    params: start_cursor?: str, page_size?: int = 100
      start_cursor: If supplied, this endpoint will return a page of results starting after the cursor provided. If not supplied, this endpoint will return the first page of results.
      page_size: The number of items from the full list desired in the response. Maximum: 100
    """


async def API_get_self(params: dict) -> str:
    """
    Notion | Retrieve your token's bot user
    Error Responses:
    400: Bad request

    params: none
    """


async def API_post_search(params: dict) -> str:
    """
    Notion | Search by title
    Error Responses:
    400: Bad request

    params: query?: str, sort?: {direction?: str, timestamp?: str} | str, filter?: {value?: "page" | "data_source", property?: str} | str, start_cursor?: str, page_size?: int = 100
      query: The text that the API compares page and database titles against.
      sort.direction: The direction to sort. Possible values include `ascending` and `descending`.
      sort.timestamp: The name of the timestamp to sort against. Possible values include `last_edited_time`.
      filter.value: The value of the property to filter the results by. Possible values for object type include `page` or `data_source`. **Limitation**: Currently the only filter allowed is `object` which will filter by type of object (either `page` or `data_source`)
      filter.property: The name of the property to filter by. Currently the only property you can filter by is the object type. Possible values include `object`. Limitation: Currently the only filter allowed is `object` which will filter by type of object (either `page` or `data_source`)
      start_cursor: A `cursor` value returned in a previous response that If supplied, limits the response to results starting after the `cursor`. If not supplied, then the first page of results is returned. Refer to [pagination](https://developers.notion.com/reference/intro#pagination) for more details.
      page_size (int32): The number of items from the full list to include in the response. Maximum: `100`.
    """


async def API_get_block_children(params: dict) -> str:
    """
    Notion | Retrieve block children
    Error Responses:
    400: Bad request

    params: block_id: str, start_cursor?: str, page_size?: int = 100
      block_id: Identifier for a [block](ref:block)
      start_cursor: If supplied, this endpoint will return a page of results starting after the cursor provided. If not supplied, this endpoint will return the first page of results.
      page_size (int32): The number of items from the full list desired in the response. Maximum: 100
    """


async def API_patch_block_children(params: dict) -> str:
    """
    Notion | Append block children
    Error Responses:
    400: Bad request

    params: block_id: str, children: list[{paragraph?: {rich_text: list[{text: dict, type?: "text"}]}, type?: "paragraph"} | {bulleted_list_item?: {rich_text: list[{text: dict, type?: "text"}]}, type?: "bulleted_list_item"} | str | dict], after?: str
      block_id: Identifier for a [block](ref:block). Also accepts a [page](ref:page) ID.
      children: Child content to append to a container block as an array of [block objects](ref:block)
      after: The ID of the existing block that the new block should be appended after.
    """


async def API_retrieve_a_block(params: dict) -> str:
    """
    Notion | Retrieve a block
    Error Responses:
    400: Bad request

    params: block_id: str
      block_id: Identifier for a Notion block
    """


async def API_update_a_block(params: dict) -> str:
    """
    Notion | Update a block
    Error Responses:
    400: Bad request

    params: block_id: str, type?: dict | str, archived?: bool = True
      block_id: Identifier for a Notion block
      archived: Set to true to archive (delete) a block. Set to false to un-archive (restore) a block.
    """


async def API_delete_a_block(params: dict) -> str:
    """
    Notion | Delete a block
    Error Responses:
    400: Bad request

    params: block_id: str
      block_id: Identifier for a Notion block
    """


async def API_retrieve_a_page(params: dict) -> str:
    """
    Notion | Retrieve a page
    Error Responses:
    400: Bad request

    params: page_id: str, filter_properties?: str
      page_id: Identifier for a Notion page
      filter_properties: A list of page property value IDs associated with the page. Use this param to limit the response to a specific page property value or values. To retrieve multiple properties, specify each page property ID. For example: `?filter_properties=iAk8&filter_properties=b7dh`.
    """


async def API_patch_page(params: dict) -> str:
    """
    Notion | Update page properties
    Error Responses:
    400: Bad request

    params: page_id: str, properties?: dict | str, in_trash?: bool = False, archived?: bool, icon?: {emoji: str} | str, cover?: {external: {url: str}, type?: "external"} | str
      page_id: The identifier for the Notion page to be updated.
      in_trash: Set to true to delete a block. Set to false to restore a block.
    """


async def API_post_page(params: dict) -> str:
    """
    Notion | Create a page
    Error Responses:
    400: Bad request

    params: parent: {page_id: str} | {database_id: str, type?: "database_id"} | {type: "workspace"} | str, properties: dict | str, children?: list[str | dict], icon?: str, cover?: str
      parent.page_id (uuid)
      parent.database_id (uuid)
      children: The content to be rendered on the new page, represented as an array of [block objects](https://developers.notion.com/reference/block).
      icon (json): The icon of the new page. Either an [emoji object](https://developers.notion.com/reference/emoji-object) or an [external file object](https://developers.notion.com/reference/file-object)..
      cover (json): The cover image of the new page, represented as a [file object](https://developers.notion.com/reference/file-object).
    """


async def API_retrieve_a_page_property(params: dict) -> str:
    """
    Notion | Retrieve a page property item
    Error Responses:
    400: Bad request

    params: page_id: str, property_id: str, page_size?: int, start_cursor?: str
      page_id: Identifier for a Notion page
      property_id: Identifier for a page [property](https://developers.notion.com/reference/page#all-property-values)
      page_size (int32): For paginated properties. The max number of property item objects on a page. The default size is 100
      start_cursor: For paginated properties.
    """


async def API_retrieve_a_comment(params: dict) -> str:
    """
    Notion | Retrieve comments
    Error Responses:
    400: Bad request

    params: block_id: str, start_cursor?: str, page_size?: int
      block_id: Identifier for a Notion block or page
      start_cursor: If supplied, this endpoint will return a page of results starting after the cursor provided. If not supplied, this endpoint will return the first page of results.
      page_size (int32): The number of items from the full list desired in the response. Maximum: 100
    """


async def API_create_a_comment(params: dict) -> str:
    """
    Notion | Create comment
    Error Responses:
    400: Bad request

    params: parent: {page_id: str} | str, rich_text: list[{text: {content: str}} | str | dict]
      parent.page_id: the page ID
      rich_text[].text.content: The content of the comment
    """


async def API_query_data_source(params: dict) -> str:
    """
    Notion | Query a data source
    Error Responses:
    400: Bad request

    params: data_source_id: str, filter_properties?: list[str | dict], filter?: dict | str, sorts?: list[{property: str, direction: "ascending" | "descending"} | str | dict], start_cursor?: str, page_size?: int = 100, archived?: bool, in_trash?: bool
      data_source_id: Identifier for a Notion data source (database)
      filter_properties: A list of page property value IDs to limit the response
    """


async def API_retrieve_a_data_source(params: dict) -> str:
    """
    Notion | Retrieve a data source
    Error Responses:
    400: Bad request

    params: data_source_id: str
      data_source_id: Identifier for a Notion data source
    """


async def API_update_a_data_source(params: dict) -> str:
    """
    Notion | Update a data source
    Error Responses:
    400: Bad request

    params: data_source_id: str, title?: list[{text: {content: str, link?: dict | None}, type?: "text"} | str | dict], description?: list[{text: {content: str, link?: dict | None}, type?: "text"} | str | dict], properties?: dict | str
      data_source_id: Identifier for a Notion data source
    """


async def API_create_a_data_source(params: dict) -> str:
    """
    Notion | Create a data source
    Error Responses:
    400: Bad request

    params: parent: {page_id: str} | str, properties: dict | str, title?: list[{text: {content: str, link?: dict | None}, type?: "text"} | str | dict]
      parent.page_id (uuid)
    """


async def API_list_data_source_templates(params: dict) -> str:
    """
    Notion | List templates in a data source
    Error Responses:
    400: Bad request

    params: data_source_id: str, start_cursor?: str, page_size?: int = 100
      data_source_id: Identifier for a Notion data source
    """


async def API_retrieve_a_database(params: dict) -> str:
    """
    Notion | Retrieve a database
    Error Responses:
    400: Bad request

    params: database_id: str
      database_id: Identifier for a Notion database
    """


async def API_move_page(params: dict) -> str:
    """
    Notion | Move a page
    Error Responses:
    400: Bad request

    params: page_id: str, parent: {type: "page_id", page_id: str} | {type: "database_id", database_id: str} | {type: "workspace"} | str
      page_id (uuid): Identifier for a Notion page
      parent.page_id (uuid)
      parent.database_id (uuid)
    """


async def API_retrieve_page_markdown(params: dict) -> str:
    """
    Notion | Retrieve a page as Markdown
    Error Responses:
    400: Bad request
    403: The integration lacks the read/update content capability required for this page.
    404: Page not found or not shared with the integration.
    429: Rate limited.

    params: page_id: str, include_transcript?: bool = False
      page_id (uuid): Identifier for a Notion page (or block) to read or update as markdown.
      include_transcript: Whether to include meeting note transcripts. When false (default), a placeholder with the meeting note URL is shown instead of the full transcript.
    """


async def API_update_page_markdown(params: dict) -> str:
    """
    Notion | Update a page's content as Markdown
    Error Responses:
    400: Bad request
    403: The integration lacks the read/update content capability required for this page.
    404: Page not found or not shared with the integration.
    409: Conflict (e.g. row limit exceeded).
    429: Rate limited.

    params: page_id: str, type: "replace_content" | "update_content" | "insert_content" | "replace_content_range", replace_content?: {new_str: str, allow_deleting_content?: bool} | str, update_content?: {content_updates: list[{old_str: str, new_str: str, replace_all_matches?: bool}], allow_deleting_content?: bool} | str, insert_content?: {content: str, after?: str, position?: {type?: "start" | "end"}} | str, replace_content_range?: {content: str, content_range: str, allow_deleting_content?: bool} | str
      page_id (uuid): Identifier for a Notion page (or block) to read or update as markdown.
      type: The kind of edit to apply. Prefer `replace_content` (overwrite the whole page) or `update_content` (targeted find-and-replace). `insert_content` and `replace_content_range` are deprecated.
      replace_content.new_str: The complete new page content as enhanced Markdown.
      replace_content.allow_deleting_content: Permit deletion of existing child pages/databases that are no longer present in the new content.
      update_content.content_updates: Up to 100 find-and-replace edits applied in order.
      update_content.content_updates[].old_str: Exact existing Markdown text to find.
      update_content.content_updates[].new_str: Replacement Markdown text.
      update_content.content_updates[].replace_all_matches: Replace every occurrence of old_str instead of just the first (default false).
      update_content.allow_deleting_content: Permit deletion of existing child pages/databases removed by the edits.
      insert_content.content: Enhanced Markdown to insert.
      insert_content.after: Ellipsis-format selection ("start text...end text") to insert after. Cannot be combined with position.
      insert_content.position: Insert at the start or end of the page. Cannot be combined with after.
      replace_content_range.content: New Markdown content for the range.
      replace_content_range.content_range: Ellipsis-format selection ("start text...end text") identifying the range to replace.
      replace_content_range.allow_deleting_content: Permit deletion of child pages/databases within the replaced range.
    """
