async def browser_close(params: dict) -> str:
    """
    Close the page

    params: none
    """


async def browser_resize(params: dict) -> str:
    """
    Resize the browser window

    params: width: float, height: float
      width: Width of the browser window
      height: Height of the browser window
    """


async def browser_console_messages(params: dict) -> str:
    """
    Returns all console messages

    params: level?: "error" | "warning" | "info" | "debug" = "info", all?: bool, filename?: str
      level: Level of the console messages to return. Each level includes the messages of more severe levels. Defaults to "info".
      all: Return all console messages since the beginning of the session, not just since the last navigation. Defaults to false.
      filename: File name to save the console messages to. Relative file names are resolved against the workspace root. If not provided, messages are returned as text.
    """


async def browser_handle_dialog(params: dict) -> str:
    """
    Handle a dialog

    params: accept: bool, promptText?: str
      accept: Whether to accept the dialog.
      promptText: The text of the prompt in case of a prompt dialog.
    """


async def browser_emulate_media(params: dict) -> str:
    """
    Emulate CSS media features for the page, for example switch between the light and dark color scheme. Omitted parameters are left unchanged; null clears an override.

    params: colorScheme?: "light" | "dark" | None, reducedMotion?: "reduce" | "no-preference" | None, forcedColors?: "active" | "none" | None, contrast?: "more" | "no-preference" | None, media?: "screen" | "print" | None
      colorScheme: Emulates the prefers-color-scheme media feature
      reducedMotion: Emulates the prefers-reduced-motion media feature
      forcedColors: Emulates the forced-colors media feature
      contrast: Emulates the prefers-contrast media feature
      media: Changes the CSS media type of the page
    """


async def browser_evaluate(params: dict) -> str:
    """
    Evaluate JavaScript expression on page or element

    params: function: str, element?: str, target?: str, filename?: str
      function: () => { /* code */ } or (element) => { /* code */ } when element is provided
      element: Human-readable element description used to obtain permission to interact with the element
      target: Exact target element reference from the page snapshot, or a unique element selector
      filename: File name to save the result to. Relative file names are resolved against the workspace root. If not provided, result is returned as text.
    """


async def browser_file_upload(params: dict) -> str:
    """
    Upload one or multiple files

    params: paths?: list[str]
      paths: The absolute paths to the files to upload. Can be single file or multiple files. If omitted, file chooser is cancelled.
    """


async def browser_drop(params: dict) -> str:
    """
    Drop files or MIME-typed data onto an element, as if dragged from outside the page. At least one of "paths" or "data" must be provided.

    params: target: str, element?: str, paths?: list[str], data?: dict[str, str]
      target: Exact target element reference from the page snapshot, or a unique element selector
      element: Human-readable element description used to obtain permission to interact with the element
      paths: Absolute paths to files to drop onto the element.
      data: Data to drop, as a map of MIME type to string value (e.g. {"text/plain": "hello", "text/uri-list": "https://example.com"}).
    """


async def browser_find(params: dict) -> str:
    """
    Search the accessibility snapshot of the current page for text or a regular expression. Returns matching snapshot nodes with a few lines of surrounding context (like search snippets), each shown under its path from the root of the tree, which is cheaper than capturing the whole snapshot when you only need to locate an element and its ref.

    params: text?: str, regex?: str, filename?: str
      text: Plain text to search for in the page snapshot (case-insensitive substring match). Provide either text or regex, not both.
      regex: Regular expression to search for in the page snapshot. Matching is case-sensitive by default; wrap the pattern in slashes to add flags, e.g. "/error/i" for case-insensitive. Provide either text or regex, not both.
      filename: Save results to a file instead of returning them in the response. Relative file names are resolved against the workspace root.
    """


async def browser_fill_form(params: dict) -> str:
    """
    Fill multiple form fields

    params: fields: list[{target: str, name: str, type: "textbox" | "checkbox" | "radio" | "combobox" | "slider", value: str, element?: str}]
      fields: Fields to fill in
      fields[].target: Exact target element reference from the page snapshot, or a unique element selector
      fields[].name: Human-readable field name
      fields[].type: Type of the field
      fields[].value: Value to fill in the field. If the field is a checkbox, the value should be `true` or `false`. If the field is a combobox, the value should be the text of the option.
      fields[].element: Human-readable element description used to obtain permission to interact with the element
    """


async def browser_press_key(params: dict) -> str:
    """
    Press a key on the keyboard

    params: key: str
      key: Name of the key to press or a character to generate, such as `ArrowLeft` or `a`
    """


async def browser_type(params: dict) -> str:
    """
    Type text into editable element

    params: target: str, text: str, element?: str, submit?: bool, slowly?: bool
      target: Exact target element reference from the page snapshot, or a unique element selector
      text: Text to type into the element
      element: Human-readable element description used to obtain permission to interact with the element
      submit: Whether to submit entered text (press Enter after)
      slowly: Whether to type one character at a time. Useful for triggering key handlers in the page. By default entire text is filled in at once.
    """


async def browser_navigate(params: dict) -> str:
    """
    Navigate to a URL

    params: url: str
      url: The URL to navigate to
    """


async def browser_navigate_back(params: dict) -> str:
    """
    Go back to the previous page in the history

    params: none
    """


async def browser_network_requests(params: dict) -> str:
    """
    Returns a numbered list of network requests since loading the page. Use browser_network_request with the number to get full details.

    params: static?: bool = False, filter?: str, filename?: str
      static: Whether to include successful static resources like images, fonts, scripts, etc. Defaults to false.
      filter: Only return requests whose URL matches this regexp (e.g. "/api/.*user").
      filename: File name to save the network requests to. Relative file names are resolved against the workspace root. If not provided, requests are returned as text.
    """


async def browser_network_request(params: dict) -> str:
    """
    Returns full details (headers and body) of a single network request, or a single part if `part` is set. Use the number from browser_network_requests.

    params: index: int, part?: "request-headers" | "request-body" | "response-headers" | "response-body", filename?: str
      index (1 to 9007199254740991): 1-based index of the request, as printed by browser_network_requests.
      part: Return only this part of the request. Omit to return full details.
      filename: File name to save the result to. Relative file names are resolved against the workspace root. If not provided, output is returned as text.
    """


async def browser_run_code_unsafe(params: dict) -> str:
    """
    Run a Playwright code snippet. Unsafe: executes arbitrary JavaScript in the Playwright server process and is RCE-equivalent.

    params: code?: str, filename?: str
      code: A JavaScript function containing Playwright code to execute. It will be invoked with a single argument, page, which you can use for any page interaction. For example: `async (page) => { await page.getByRole('button', { name: 'Submit' }).click(); return await page.title(); }`
      filename: Load code from the specified file. Relative file names are resolved against the workspace root. If both code and filename are provided, code will be ignored.
    """


async def browser_take_screenshot(params: dict) -> str:
    """
    Take a screenshot of the current page. You can't perform actions based on the screenshot, use browser_snapshot for actions.

    params: element?: str, target?: str, type?: "png" | "jpeg" | "webp", filename?: str, fullPage?: bool, scale?: "css" | "device" = "css"
      element: Human-readable element description used to obtain permission to interact with the element
      target: Exact target element reference from the page snapshot, or a unique element selector
      type: Image format for the screenshot. If unset, inferred from the filename extension, otherwise png.
      filename: File name to save the screenshot to. Relative file names are resolved against the workspace root. If not specified, the screenshot is saved into the output directory as `page-{timestamp}.{png|jpeg|webp}`.
      fullPage: When true, takes a screenshot of the full scrollable page, instead of the currently visible viewport. Cannot be used with element screenshots.
      scale: Image resolution scale. "css" produces a screenshot sized in CSS pixels (smaller, consistent across devices). "device" produces a high-resolution screenshot using device pixels (larger, accounts for the device pixel ratio). Default is css.
    """


async def browser_snapshot(params: dict) -> str:
    """
    Capture accessibility snapshot of the current page, this is better than screenshot

    params: target?: str, filename?: str, depth?: float, boxes?: bool
      target: Exact target element reference from the page snapshot, or a unique element selector
      filename: Save snapshot to a file instead of returning it in the response. Relative file names are resolved against the workspace root.
      depth: Limit the depth of the snapshot tree
      boxes: Include each element's bounding box as [box=x,y,width,height] in the snapshot. Coordinates are viewport-relative, in CSS pixels (Element.getBoundingClientRect)
    """


async def browser_click(params: dict) -> str:
    """
    Perform click on a web page

    params: target: str, element?: str, doubleClick?: bool, button?: "left" | "right" | "middle", modifiers?: list["Alt" | "Control" | "ControlOrMeta" | "Meta" | "Shift"]
      target: Exact target element reference from the page snapshot, or a unique element selector
      element: Human-readable element description used to obtain permission to interact with the element
      doubleClick: Whether to perform a double click instead of a single click
      button: Button to click, defaults to left
      modifiers: Modifier keys to press
    """


async def browser_drag(params: dict) -> str:
    """
    Perform drag and drop between two elements

    params: startTarget: str, endTarget: str, startElement?: str, endElement?: str
      startTarget: Exact target element reference from the page snapshot, or a unique element selector
      endTarget: Exact target element reference from the page snapshot, or a unique element selector
      startElement: Human-readable source element description used to obtain the permission to interact with the element
      endElement: Human-readable target element description used to obtain the permission to interact with the element
    """


async def browser_hover(params: dict) -> str:
    """
    Hover over element on page

    params: target: str, element?: str
      target: Exact target element reference from the page snapshot, or a unique element selector
      element: Human-readable element description used to obtain permission to interact with the element
    """


async def browser_select_option(params: dict) -> str:
    """
    Select an option in a dropdown

    params: target: str, values: list[str], element?: str
      target: Exact target element reference from the page snapshot, or a unique element selector
      values: Array of values to select in the dropdown. This can be a single value or multiple values.
      element: Human-readable element description used to obtain permission to interact with the element
    """


async def browser_tabs(params: dict) -> str:
    """
    List, create, close, or select a browser tab.

    params: action: "list" | "new" | "close" | "select", index?: float, url?: str
      action: Operation to perform
      index: Tab index, used for close/select. If omitted for close, current tab is closed.
      url: URL to navigate to in the new tab, used for new.
    """


async def browser_wait_for(params: dict) -> str:
    """
    Wait for text to appear or disappear or a specified time to pass

    params: time?: float, text?: str, textGone?: str
      time: The time to wait in seconds, at most 30
      text: The text to wait for
      textGone: The text to wait for to disappear
    """
