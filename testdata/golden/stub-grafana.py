async def add_activity_to_incident(params: dict) -> str:
    """
    Add a note (userNote activity) to an existing incident's timeline using its ID. The note body can include URLs which will be attached as context. Use this to add context to an incident.

    params: body: str, incidentId: str, eventTime?: str
      body: The body of the activity. URLs will be parsed and attached as context
      incidentId: The ID of the incident to add the activity to
      eventTime: The time that the activity occurred. If not provided, the current time will be used
    """


async def alerting_manage_routing(params: dict) -> str:
    """
    Manage Grafana alerting routing configuration, including notification policies, contact points and time intervals.

    Notification policies define how alerts are grouped, routed, and which contact points receive them.
    Time intervals define active/mute periods for alert notifications.

    When to use:
    - Understanding how alerts are routed to contact points/receivers
    - Debugging why an alert went to a specific receiver
    - Checking grouping, timing, or mute interval settings

    When NOT to use:
    - Checking alert rule configuration or state (use alerting_manage_rules)

    params: operation: "get_notification_policies" | "get_contact_points" | "get_contact_point" | "get_time_intervals" | "get_time_interval", contact_point_title?: str, datasource_uid?: str, limit?: int, name?: str, time_interval_name?: str
      operation: The operation to perform: 'get_notification_policies' to retrieve the notification policy tree, 'get_contact_points' to list all contact points, 'get_contact_point' to get a specific contact point by name, 'get_time_intervals' to list all time intervals, 'get_time_interval' to get a specific time interval by name
      contact_point_title: Title of the contact point to retrieve (required for get_contact_point operation)
      datasource_uid: Optional: UID of an Alertmanager-compatible datasource to query for receivers. If omitted, returns Grafana-managed contact points. Only used with get_contact_points.
      limit: The maximum number of results to return. Default is 100. Only used with get_contact_points.
      name: Filter contact points by name (exact match). Only used with get_contact_points.
      time_interval_name: Name of the time interval to retrieve (required for get_time_interval operation)
    """


async def alerting_manage_rules(params: dict) -> str:
    """
    Manage Grafana alert rules with full CRUD capabilities and filtering.

    When to use:
    - Understanding why an alert is or isn't firing
    - Auditing alert rule configuration (queries, conditions, labels, notification settings)
    - Finding alert rules by state, folder, group, or name
    - Creating, updating, or deleting alert rules
    - Comparing rule versions to see what changed

    When NOT to use:
    - Checking how alerts are routed to receivers (use alerting_manage_routing)

    params: operation: "list" | "get" | "versions" | "create" | "update" | "delete", annotations?: dict[str, str], condition?: str, data?: list[dict], datasource_uid?: str, disable_provenance?: bool, exec_err_state?: str, folder_uid?: str, "for"?: str, is_paused?: bool, keep_firing_for?: str, label_selectors?: list[str], labels?: dict[str, str], limit_alerts?: int, matchers?: list[str], missing_series_evals_to_resolve?: int, no_data_state?: str, notification_settings?: dict, org_id?: int, record?: dict, rule_group?: str, rule_limit?: int = 200, rule_type?: "alerting" | "recording", rule_uid?: str, search_folder?: str, search_rule_name?: str, states?: list[str], title?: str
      operation: The operation to perform: 'list', 'get', 'versions', 'create', 'update', or 'delete'. To create a rule, use operation 'create' and provide all required fields in a single call. To update a rule, first use 'get' to retrieve its full configuration, then 'update' with all required fields plus your changes.
      annotations: Optional annotations for the alert rule
      condition: The query condition identifier, e.g. 'A', 'B' (required for 'create', 'update')
      data: Array of alert query objects (required for 'create'/'update'). Each object has: datasourceUid (string, required), model (object with expr for data queries or type/expression/conditions for expressions), refId (string, auto-assigned if omitted), relativeTimeRange ({from, to} in seconds, defaults to {from:600,to:0}). For server-side expressions use datasourceUid '__expr__'. Example: [{datasourceUid: 'prometheus', model: {expr: 'up == 0'}}, {datasourceUid: '__expr__', model: {type: 'threshold', expression: 'A', conditions: [{evaluator: {type: 'gt', params: [0]}}]}}]
      datasource_uid: Optional: UID of a Prometheus or Loki datasource to query for datasource-managed alert rules (for 'list' operation)
      disable_provenance: If true, the alert remains editable in the Grafana UI (sets X-Disable-Provenance header). Defaults to true.
      exec_err_state: State on execution error: NoData, Alerting, OK (required for 'create', 'update')
      folder_uid: The folder UID. For 'list': filter by exact folder UID (mutually exclusive with search_folder). For 'create'/'update': the folder to store the rule in (required).
      "for": Duration before alert fires, e.g. '5m' (required for 'create', 'update')
      is_paused: If true, the alert rule remains inactive, Default is false
      keep_firing_for: Enables continous firing of alert for specified time even when condition is no longer met. Default is 0 (resolves immediately)
      label_selectors: Prometheus-style selectors to filter alert rules by labels. Each string is a selector e.g. '{severity="critical", team=~"backend.*"}'. All selectors must match (AND).
      labels: Optional labels for the alert rule
      limit_alerts: Limit alert instances per rule. For list: 0 omits alerts. For get: <=0 defaults to 200. Max 200.
      matchers: Label matchers to filter alert instances. Each string is a Prometheus-style matcher e.g. 'severity="critical"', 'env!="dev"', 'team=~"backend.*"'. Requires Grafana 12.4+.
      missing_series_evals_to_resolve: Consecutive evaluation intervals with no data required to mark the alert as resolved. Default is 2.
      no_data_state: State when no data: NoData, Alerting, OK (required for 'create', 'update')
      notification_settings: Notification settings object. Fields: receiver (string, required), groupBy ([]string), groupWait/groupInterval/repeatInterval (duration strings), muteTimeIntervals/activeTimeIntervals ([]string).
      org_id: The organization ID (required for 'create', 'update')
      record: Recording rule config. Fields: from (string, required - ref ID e.g. 'A'), metric (string, required - metric name), targetDatasourceUid (string, optional).
      rule_group: The rule group name (required for 'create', 'update')
      rule_limit: Maximum number of rules to return (default 200, max 200). Requires Grafana 12.4+ (for 'list' operation)
      rule_type: Filter by rule type (for 'list' operation)
      rule_uid: The UID of the alert rule (required for 'get', 'versions', 'update', 'delete'; optional for 'create')
      search_folder: Search folders by path using partial matching (for 'list' operation). Requires Grafana 12.4+. Mutually exclusive with folder_uid.
      search_rule_name: Search alert rule names/titles using partial matching. Requires Grafana 12.4+ (for 'list' operation)
      states: Filter by alert state: firing, pending, normal, recovering, nodata, error (for 'list' operation)
      title: The title of the alert rule (required for 'create', 'update')
    """


async def alerting_manage_silences(params: dict) -> str:
    """
    Manage Grafana alerting silences. A silence temporarily suppresses notifications for alerts whose labels match a set of matchers, without changing the alert rules themselves.

    Operations:
    - 'list': list existing silences. Optionally filter by rule_uid (matches the __alert_rule_uid__ label) or by matchers.
    - 'get': retrieve a single silence by silence_id.
    - 'create': create a new silence. Requires matchers, starts_at, ends_at (RFC3339) and comment.
    - 'update': modify an existing silence by silence_id. Requires matchers, starts_at, ends_at and comment. The id is only kept when the posted matchers and starts_at match the stored ones, so pass back the starts_at returned by 'get'; otherwise Alertmanager expires the old silence and returns a new id.
    - 'delete': expire/remove a silence by silence_id.

    When to use:
    - Muting noisy or expected alerts during maintenance windows
    - Inspecting or cleaning up existing silences

    When NOT to use:
    - Changing alert rule configuration or state (use alerting_manage_rules)
    - Changing how alerts are routed to receivers (use alerting_manage_routing)

    params: operation: "list" | "get" | "create" | "update" | "delete", comment?: str, created_by?: str, ends_at?: str, matchers?: list[{name: str, value: str, isRegex?: bool, isEqual?: bool}], rule_uid?: str, silence_id?: str, starts_at?: str
      operation: The operation to perform: 'list' to list silences, 'get' to retrieve a silence by id, 'create' to create a new silence, 'update' to modify an existing silence by id, 'delete' to expire a silence by id
      comment: A human-readable comment explaining the silence (required for 'create' and 'update')
      created_by: Author of the silence. Defaults to 'grafana-assistant'.
      ends_at: Silence end time in RFC3339 format, e.g. '2026-07-11T12:00:00Z' (required for 'create' and 'update')
      matchers: Label matchers. Required (at least one) for 'create' and 'update'. For 'list', used as an optional filter.
      matchers[].name: The label name to match
      matchers[].value: The label value to match against
      matchers[].isRegex: Whether value is a regular expression. Defaults to false.
      matchers[].isEqual: Whether the matcher asserts equality (true) or inequality (false). Defaults to true.
      rule_uid: Optional: filter listed silences to those scoped to this alert rule UID (matches the __alert_rule_uid__ label). Only used with 'list'.
      silence_id: The silence id (required for 'get', 'update' and 'delete')
      starts_at: Silence start time in RFC3339 format, e.g. '2026-07-11T10:00:00Z' (required for 'create' and 'update'). Grafana clamps a start time in the past to the moment of creation, so for 'update' pass back the starts_at returned by 'get' to keep the silence id stable.
    """


async def analyze_loki_labels(params: dict) -> str:
    """
    Audits a Loki label strategy and optionally diagnoses query performance. Returns per-label verdicts, missing base labels, normalisation issues, and a recommended set. Pass datasourceUid for live cardinality or labels for static scoring; both may be combined.

    params: datasourceUid?: str, endRfc3339?: str, expectedBaseLabels?: list[str], labels?: list[{name: str, uniqueValues?: int, sampleValues?: list[str], unbounded?: bool, usedInQueries?: str, valueKind?: str}], maxLabels?: int, perfMetrics?: {queueTimeSec?: float, chunkRefsFetchTimeSec?: float, storeChunksDownloadTimeSec?: float, executionTimeSec?: float, totalBytes?: int, cacheChunkReqs?: int, totalLines?: int, postFilterLines?: int}, selector?: str, startRfc3339?: str
      datasourceUid: Datasource UID (live mode).
      labels: Caller-supplied labels (static mode).
      perfMetrics: Runtime metrics; presence triggers perf diagnosis.
      selector: Optional LogQL selector for stats / perf diagnosis.
    """


async def check_datasources_health(params: dict) -> str:
    """
    Check datasource health. Filter by type or UIDs; omit both to check all.

    params: offset?: int = 0, type?: str, uids?: list[str]
      offset: Number to skip for pagination
      type: Plugin type filter; omit to check all
      uids: UIDs to check
    """


async def create_annotation(params: dict) -> str:
    """
    Create a new annotation on a dashboard or panel. Set format to 'graphite' and provide 'what' for Graphite-format annotations.

    params: dashboardUid?: str, data?: dict, format?: "graphite", graphiteData?: str, panelId?: int, tags?: list[str], text?: str, time?: int, timeEnd?: int, what?: str, when?: int
      dashboardUid: Dashboard UID
      data: Optional JSON payload
      format: Set to 'graphite' to create a Graphite-format annotation
      graphiteData: Optional string payload for Graphite format
      panelId: Panel ID
      tags: Optional list of tags
      text: Annotation text (required unless format is graphite)
      time: Start time epoch ms
      timeEnd: End time epoch ms
      what: Annotation text for Graphite format (required when format is graphite)
      when: Epoch ms timestamp for Graphite format
    """


async def create_datasource(params: dict) -> str:
    """
    Create a datasource. If type is ambiguous, call search_plugin_information first; install the plugin if needed. IMPORTANT: always call this tool twice. First call: provide only the type — the tool returns a field schema. After receiving the schema, you MUST ask the user for every required field value explicitly; do not infer or use defaults without user confirmation. Second call: provide the type, the display name in the top-level name argument, schemaReviewed=true, and the fields map populated with values confirmed by the user. Never handle credentials — remind the user to rotate any detected. Returns UID, health check, and a config page link.

    params: name: str, type: str, access?: str, basicAuth?: bool, database?: str, fields?: dict, isDefault?: bool, schemaReviewed?: bool, url?: str, withCredentials?: bool
      name: Datasource display name
      type: Grafana datasource plugin type, for example prometheus
      access: How Grafana should access the datasource (proxy or direct)
      basicAuth: Whether Grafana should use basic auth
      database: Optional database name
      fields: Datasource field values to provision, keyed by field key from the schema returned on the first call. The server uses each field's target (root or jsonData) to place values correctly in the YAML. Example: {"url": "http://prometheus:9090", "httpMethod": "POST"}.
      isDefault: Whether this should become the default datasource
      schemaReviewed: Set to true on the second call to confirm you reviewed the schema and collected values from the user.
      url: Datasource base URL when required by the plugin
      withCredentials: Whether Grafana should forward credentials such as cookies
    """


async def create_folder(params: dict) -> str:
    """
    Create a Grafana folder. Provide a title and optional UID. Returns the created folder.

    params: title: str, parentUid?: str, uid?: str
      title: The title of the folder.
      parentUid: Optional parent folder UID. If set, the folder will be created under this parent.
      uid: Optional folder UID. If omitted, Grafana will generate one.
    """


async def create_incident(params: dict) -> str:
    """
    Create a new Grafana incident. Requires title, severity, and room prefix. Allows setting status, labels and custom fields. This tool should be used judiciously and sparingly, and only after confirmation from the user, as it may notify or alarm lots of people.

    params: roomPrefix: str, severity: str, title: str, attachCaption?: str, attachUrl?: str, customFields?: list[{field: str, values?: list[str]}], isDrill?: bool, labels?: list[{key?: str, label?: str, description?: str, colorHex?: str}], status?: str
      roomPrefix: The prefix of the room to create the incident in
      severity: The severity of the incident
      title: The title of the incident
      attachCaption: The caption of the attachment
      attachUrl: The URL of the attachment
      customFields: Custom field values to set on the new incident. Use list_incident_custom_fields to discover the available fields and their valid values
      customFields[].field: The name or UUID of the custom field to set. Use list_incident_custom_fields to discover the available fields
      customFields[].values: The value(s) to set. Text and number fields take a single value; single-select fields take one option; multi-select fields take one or more options. Select options may be given as their label, value or UUID. Pass an empty list to clear the field
      isDrill: Whether the incident is a drill incident
      labels: The labels to add to the incident
      status: The status of the incident
    """


async def create_snapshot(params: dict) -> str:
    """
    Create a Grafana snapshot from a full dashboard payload. Supports optional expiration and external snapshot fields.

    params: dashboard: dict, deleteKey?: str, expires?: int, external?: bool, key?: str, name?: str
      dashboard: Complete dashboard model to snapshot (as returned by Grafana dashboard APIs)
      deleteKey: Secret key for deleting external snapshots. Required when external is true
      expires: Snapshot expiration in seconds (e.g. 3600 for 1 hour)
      external: Store snapshot on external server. Requires key and deleteKey when true
      key: Custom snapshot key. Required when external is true
      name: Optional snapshot name
    """


async def delete_annotation(params: dict) -> str:
    """
    Permanently delete an annotation by ID. The annotation cannot be recovered afterwards.

    params: id: int
      id: Annotation ID to delete
    """


async def delete_snapshot(params: dict) -> str:
    """
    Delete a Grafana snapshot by snapshot key.

    params: key: str
      key: Snapshot key to delete
    """


async def diff_tempo_traces(params: dict) -> str:
    """
    Compare two complete traces. Returns a compact summary and includes the full span-level patch when it is at most 64 KiB. Request trace-patch-v0 only when full details are required; full patches are not size-bounded.

    params: base_trace_id: str, compare_trace_id: str, datasourceUid: str, base_end?: str, base_start?: str, compare_end?: str, compare_start?: str, format?: "trace-summary-v0-composed" | "trace-summary-v0-native" | "trace-patch-v0" = "trace-summary-v0-composed"
      base_trace_id: Trace ID for the baseline trace
      compare_trace_id: Trace ID for the comparison trace
      datasourceUid: UID of the tempo datasource to query
      base_end: Optional end of the baseline trace search range in RFC3339 format. Must be provided with base_start.
      base_start: Optional start of the baseline trace search range in RFC3339 format. Must be provided with base_end.
      compare_end: Optional end of the comparison trace search range in RFC3339 format. Must be provided with compare_start.
      compare_start: Optional start of the comparison trace search range in RFC3339 format. Must be provided with compare_end.
      format: Output format. The composed format returns a compact summary and attaches the full patch only when it is at most 64 KiB. trace-patch-v0 has no output-size guarantee.
    """


async def find_error_pattern_logs(params: dict) -> str:
    """
    Searches Loki logs for elevated error patterns compared to the last day's average, waits for the analysis to complete, and returns the results including any patterns found. Use the labelSelector parameter with PromQL/LogQL syntax for pattern matching on label values (e.g. {namespace=~"prod.*"}).

    params: labelSelector: str, name: str, end?: str, start?: str
      labelSelector: A PromQL/LogQL stream selector to scope the analysis. Supports all match operators: = (exact), != (not equal), =~ (regex), !~ (negative regex). Example: {namespace=~"prod.*", cluster="us-east-1"}
      name: The name of the investigation
      end (date-time): End time for the investigation. Defaults to now if not specified.
      start (date-time): Start time for the investigation. Defaults to 30 minutes ago if not specified.
    """


async def find_slow_requests(params: dict) -> str:
    """
    Searches relevant Tempo datasources for slow requests, waits for the analysis to complete, and returns the results. Use the labelSelector parameter with PromQL/LogQL syntax for pattern matching on label values (e.g. {namespace=~"prod.*"}).

    params: labelSelector: str, name: str, end?: str, start?: str
      labelSelector: A PromQL/LogQL stream selector to scope the analysis. Supports all match operators: = (exact), != (not equal), =~ (regex), !~ (negative regex). Example: {namespace=~"prod.*", cluster="us-east-1"}
      name: The name of the investigation
      end (date-time): End time for the investigation. Defaults to now if not specified.
      start (date-time): Start time for the investigation. Defaults to 30 minutes ago if not specified.
    """


async def generate_deeplink(params: dict) -> str:
    """
    Generate deeplink URLs for Grafana resources. Supports dashboards (requires dashboardUid or provisioningPreview), panels (requires dashboardUid or provisioningPreview, plus panelId), and Explore queries (requires datasourceUid and optionally queries). For dashboard and panel links, provisioningPreview points at a dashboard staged on a provisioning repository branch (e.g. a git-sync PR preview). For explore links, the time range and queries are embedded inside the Grafana explore state. Set shorten=true to also attempt a /goto/<uid> short URL; if shortening fails, the full deeplink is returned.

    params: resourceType: str, dashboardUid?: str, datasourceUid?: str, panelId?: int, provisioningPreview?: {repo: str, path: str, ref?: str, pullRequestUrl?: str}, queries?: list[dict], queryParams?: dict[str, str], shorten?: bool, timeRange?: {"from"?: str, to?: str}
      resourceType: Type of resource: dashboard, panel, or explore
      dashboardUid: Dashboard UID (for stored dashboards). Mutually exclusive with provisioningPreview for dashboard and panel types.
      datasourceUid: Datasource UID (required for explore type)
      panelId: Panel ID (required for panel type)
      provisioningPreview: Identifies a dashboard staged on a provisioning repository branch (e.g. a git-sync PR preview). Mutually exclusive with dashboardUid for dashboard and panel types.
      provisioningPreview.repo: Provisioning repository slug. List repositories via list_provisioning_repositories if unknown.
      provisioningPreview.path: Path to the dashboard file within the repository, relative to its root.
      provisioningPreview.ref: Branch or commit SHA. Defaults to the repository's main branch when omitted.
      provisioningPreview.pullRequestUrl: Upstream pull request URL to surface in Grafana's preview banner.
      queries: List of query objects for explore links (e.g. [{"refId":"A","expr":"up"}])
      queryParams: Additional URL query parameters (for dashboard/panel types)
      shorten: If true, try to shorten the generated URL to /goto/<uid>. If shortening fails, return the original deeplink.
      timeRange: Time range for the link
      timeRange."from": Start time (e.g., 'now-1h')
      timeRange.to: End time (e.g., 'now')
    """


async def get_alert_group(params: dict) -> str:
    """
    Get a specific alert group from Grafana OnCall by its ID. Returns the full alert group details, including the most recent alert and its raw payload when the OnCall API provides them. Alert payloads carry integration-specific fingerprints (for example Sentry's payload.data.event.hashes or Alertmanager's payload.alerts[].fingerprint) that identify recurring alerts across different alert groups.

    params: alertGroupId: str
      alertGroupId: The ID of the alert group to retrieve
    """


async def get_annotation_tags(params: dict) -> str:
    """
    Returns annotation tags with optional filtering by tag name. Only the provided filters are applied.

    params: limit?: int, tag?: str
      limit (at least 1): Max results, default 100
      tag: Optional filter by tag name
    """


async def get_annotations(params: dict) -> str:
    """
    Fetch Grafana annotations using filters such as dashboard UID, time range and tags.

    params: alertUid?: str, dashboardUid?: str, "from"?: int, limit?: int, matchAny?: bool, panelId?: int, tags?: list[str], to?: int, type?: str, userId?: int
      alertUid: Filter by alert UID
      dashboardUid: Filter by dashboard UID
      "from": Epoch ms start time
      limit: Max results default 100
      matchAny: If true, match any tag (OR). If false, match all tags (AND). Default: false
      panelId: Filter by panel ID
      tags: Filter by tags. Multiple tags allowed; use matchAny to control AND/OR logic
      to: Epoch ms end time
      type: annotation or alert
      userId: Filter by creator user ID
    """


async def get_assertions(params: dict) -> str:
    """
    Get assertion summary for a given entity with its type, name, env, site, namespace, and a time range

    params: endTime: str, startTime: str, entityName?: str, entityType?: str, env?: str, namespace?: str, site?: str
      endTime: The end time in RFC3339 format (e.g. 2024-01-01T00:00:00Z) or relative format (e.g. now)
      startTime: The start time in RFC3339 format (e.g. 2024-01-01T00:00:00Z) or relative format (e.g. now-1h)
      entityName: The name of the entity to list
      entityType: The type of the entity to list (e.g. Service, Node, Pod, etc.)
      env: The env of the entity to list
      namespace: The namespace of the entity to list
      site: The site of the entity to list
    """


async def get_current_oncall_users(params: dict) -> str:
    """
    Get the list of users currently on-call for a specific Grafana OnCall schedule ID. Returns the schedule ID, name, and a list of detailed user objects for those currently on call.

    params: scheduleId: str
      scheduleId: The ID of the schedule to get current on-call users for
    """


async def get_dashboard_by_uid(params: dict) -> str:
    """
    Retrieves the complete dashboard, including panels, variables, and settings, for a specific dashboard identified by its UID. Pass optional version to load a saved snapshot instead of the current dashboard. Saved snapshots are fetched through Grafana's legacy versions API, so 'apiVersion' is omitted and 'meta' is partial: only version, createdBy, and created are populated. For current (non-versioned) fetches, the response includes 'apiVersion' and 'isV2': when 'isV2' is true the dashboard uses the v2 schema (panels live under 'elements' keyed by name, arranged by 'layout'; variables under 'variables'), otherwise it is classic v1 ('panels[]' with 'templating.list'). WARNING: Large dashboards can consume significant context window space. Consider using get_dashboard_summary for overview or get_dashboard_property for specific data instead.

    params: uid: str, version?: int
      uid: The UID of the dashboard
      version (at least 1): Optional saved version. Omit for the current dashboard
    """


async def get_dashboard_panel_queries(params: dict) -> str:
    """
    Retrieve panel queries from a Grafana dashboard. Supports all datasource types (Prometheus, Loki, CloudWatch, SQL, etc.) and row-nested panels. Optionally filter to a specific panel by ID with `panelId`. Optionally provide `variables` for template variable substitution, which populates `processedQuery` and `requiredVariables` fields. Returns an array of objects with fields: title, query (raw expression), datasource (object with uid and type), and optionally processedQuery, refId, requiredVariables, and target. Targets built in a visual editor (CloudWatch metric search, InfluxDB query builder) have no string expression: those return an empty query plus `target`, the panel's raw query JSON. Run those with run_panel_query rather than a query tool.

    params: uid: str, panelId?: int, variables?: dict[str, str]
      uid: The UID of the dashboard
      panelId: Optional panel ID to filter to a specific panel
      variables: Optional variable substitutions (e.g., {"job": "api-server"})
    """


async def get_dashboard_property(params: dict) -> str:
    """
    Get specific parts of a dashboard using JSONPath expressions to minimize context window usage. JSONPath targets the dashboard's native schema. Classic v1 paths: '$.title' (title)\\, '$.panels[*].title' (all panel titles)\\, '$.panels[0]' (first panel)\\, '$.templating.list' (variables)\\, '$.annotations.list' (saved dashboard annotation queries/definitions)\\, '$.tags' (tags)\\, '$.panels[*].targets[*].expr' (all queries). v2 dashboards (see isV2 from get_dashboard_by_uid) use different paths: '$.title'\\, '$.elements' (panels\\, keyed by name)\\, '$.variables' (variables)\\, '$.annotations'. Use this instead of get_dashboard_by_uid when you only need specific dashboard properties.

    params: jsonPath: str, uid: str
      jsonPath: JSONPath expression to extract specific data (e.g., '$.panels[0].title' for first panel title, '$.panels[*].title' for all panel titles, '$.templating.list' for variables, '$.annotations.list' for saved dashboard annotation queries/definitions)
      uid: The UID of the dashboard
    """


async def get_dashboard_summary(params: dict) -> str:
    """
    Get a compact summary of a dashboard including title\\, panel count\\, panel types\\, variables\\, and other metadata without the full JSON. Use this for dashboard overview and planning modifications without consuming large context windows.

    params: uid: str
      uid: The UID of the dashboard
    """


async def get_datasource(params: dict) -> str:
    """
    Retrieves detailed information about a specific datasource by UID or name. Returns the full datasource model, including name, type, URL, access settings, JSON data, and secure JSON field status. Provide either uid or name; uid takes priority if both are given.

    params: name?: str, uid?: str
      name: The name of the datasource. Used if UID is not provided.
      uid: The UID of the datasource. If provided, takes priority over name.
    """


async def get_doc(params: dict) -> str:
    """
    Fetch a Grafana documentation page. Set outline_only=true to get the heading structure first, then call again with a section name for bounded retrieval.

    params: url: str, limit?: int, offset?: int, outline_only?: bool, section?: str
      url: The grafana.com/docs/ URL to fetch
      limit: Max lines to return (default ~80)
      offset: Line offset for paging (0-indexed)
      outline_only: Return only the heading outline (use to discover section names before fetching content)
      section: Heading text to extract (returns only that section)
    """


async def get_incident(params: dict) -> str:
    """
    Get a single incident by ID. Returns the full incident details including title, status, severity, labels, custom fields, timestamps, and other metadata.

    params: id: str
      id: The ID of the incident to retrieve
    """


async def get_oncall_shift(params: dict) -> str:
    """
    Get detailed information for a specific Grafana OnCall shift using its ID. A shift represents a designated time period within a schedule when users are actively on-call. Returns the full shift details.

    params: shiftId: str
      shiftId: The ID of the shift to get details for
    """


async def get_panel_image(params: dict) -> str:
    """
    Render a Grafana dashboard panel or full dashboard as a PNG image. Returns the image as base64 encoded data. Requires the Grafana Image Renderer service to be installed. Either dashboardUid (for stored dashboards) or provisioningPreview (for dashboards staged on a provisioning repository branch, e.g. a git-sync PR) must be supplied. Use this for generating visual snapshots of dashboards for reports, alerts, or presentations.

    params: dashboardUid?: str, height?: int, panelId?: int, provisioningPreview?: {repo: str, path: str, ref?: str}, scale?: int, theme?: str, timeRange?: {"from"?: str, to?: str}, timeout?: int, variables?: dict[str, str | list[str]], width?: int
      dashboardUid: The UID of a stored dashboard containing the panel. Required unless provisioningPreview is provided.
      height: Height of the rendered image in pixels. Defaults to 500
      panelId: The ID of the panel to render. If omitted, the entire dashboard is rendered
      provisioningPreview: Render a dashboard from a provisioning repository branch (e.g. a git-sync PR preview). Mutually exclusive with dashboardUid.
      provisioningPreview.repo: Provisioning repository slug. List repositories via /apis/provisioning.grafana.app/v0alpha1/namespaces/default/repositories if unknown.
      provisioningPreview.path: Path to the dashboard file within the repository, relative to its root.
      provisioningPreview.ref: Branch or commit SHA to render from. Defaults to the repository's main branch when omitted.
      scale: Scale factor for the image (1-3). Defaults to 1
      theme: Theme for the rendered image: light or dark. Defaults to dark
      timeRange: Time range for the rendered image
      timeRange."from": Start time (e.g., 'now-1h', '2024-01-01T00:00:00Z')
      timeRange.to: End time (e.g., 'now', '2024-01-01T12:00:00Z')
      timeout: Rendering timeout in seconds. Defaults to 60
      variables: Dashboard variables to apply. Values can be a single string or an array of strings for multi-value variables (e.g., {"var-datasource": "prometheus", "var-instance": ["server1", "server2"]})
      width: Width of the rendered image in pixels. Defaults to 1000
    """


async def get_plugin(params: dict) -> str:
    """
    Check whether a Grafana plugin is installed and retrieve its details (name, version, type, enabled status). Returns installed=false when the plugin is not found. Use install_plugin when a plugin is not installed to install plugin after confirming this action with the user.

    params: pluginId: str
      pluginId: The plugin ID to check (e.g. 'prometheus', 'grafana-piechart-panel', 'grafana-oncall-app')
    """


async def get_sift_analysis(params: dict) -> str:
    """
    Retrieves a specific analysis from an investigation by its UUID. The investigation ID and analysis ID should be provided as strings in UUID format.

    params: analysisId: str, investigationId: str
      analysisId: The UUID of the specific analysis to retrieve
      investigationId: The UUID of the investigation as a string (e.g. '02adab7c-bf5b-45f2-9459-d71a2c29e11b')
    """


async def get_sift_investigation(params: dict) -> str:
    """
    Retrieves an existing Sift investigation by its UUID. The ID should be provided as a string in UUID format (e.g. '02adab7c-bf5b-45f2-9459-d71a2c29e11b').

    params: id: str
      id: The UUID of the investigation as a string (e.g. '02adab7c-bf5b-45f2-9459-d71a2c29e11b')
    """


async def get_snapshot(params: dict) -> str:
    """
    Get a Grafana snapshot by key, including snapshot metadata and dashboard payload.

    params: key: str
      key: Snapshot key to retrieve
    """


async def get_tempo_trace(params: dict) -> str:
    """
    Retrieve a specific trace by ID

    params: datasourceUid: str, trace_id: str
      datasourceUid: UID of the tempo datasource to query
      trace_id: Trace ID to retrieve
    """


async def get_tempo_traceql_docs(params: dict) -> str:
    """
    Retrieve TraceQL reference documentation with examples, covering attribute filters, aggregates, structural operators, and metrics queries. Consult this before writing a non-trivial TraceQL query, or after one returns an error or no results.

    params: topic: "basic" | "aggregates" | "structural" | "metrics"
      topic: Which section of the TraceQL reference to retrieve: 'basic' for attribute and duration filters, 'aggregates' for count/avg/sum and by() grouping, 'structural' for parent/child and descendant operators, 'metrics' for rate/quantile_over_time metrics queries
    """


async def grafana_api_request(params: dict) -> str:
    """
    Make an authenticated HTTP request to the Grafana API. Similar to 'gh api' for GitHub. Supports any Grafana API endpoint with optional jq-style response filtering. Use this for API endpoints that don't have a dedicated tool.

    params: endpoint: str, body?: str, headers?: dict[str, str], jq?: str, method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
      endpoint: The API path relative to the Grafana base URL (e.g. '/api/org', '/api/dashboards/uid/abc123'). Must start with '/'.
      body: Request body (JSON string). Used with POST, PUT, and PATCH requests.
      headers: Additional HTTP headers to include in the request.
      jq: A jq expression to filter or transform the JSON response (e.g. '.dashboards[] | .title').
      method: HTTP method. Defaults to GET
    """


async def install_plugin(params: dict) -> str:
    """
    Install a Grafana plugin by its plugin ID. If the version is not already confirmed with the user, omit it — the tool will look up the latest version and return it for confirmation before installing.

    params: pluginId: str, version?: str
      pluginId: The plugin ID to install (e.g. 'grafana-image-renderer', 'grafana-piechart-panel')
      version: The exact version to install. Must be confirmed with the user before calling — if unknown, omit this field to look up the latest version first.
    """


async def list_alert_groups(params: dict) -> str:
    """
    List alert groups from Grafana OnCall with filtering options. Supports filtering by alert group ID, route ID, integration ID, state (new, acknowledged, resolved, silenced), team ID, time range, labels, and name. For time ranges, use format '{start}_{end}' ISO 8601 timestamp range (e.g., '2025-01-19T00:00:00_2025-01-19T23:59:59' for a specific day). For labels, use format 'key:value' (e.g., ['env:prod', 'severity:high']). Returns a list of alert group objects with their details. Supports pagination.

    params: id?: str, integrationId?: str, labels?: list[str], name?: str, page?: int, routeId?: str, startedAt?: str, state?: str, teamId?: str
      id: Filter by specific alert group ID
      integrationId: Filter by integration ID
      labels: Filter by labels in format key:value (e.g., ['env:prod', 'severity:high'])
      name: Filter by alert group name
      page: The page number to return
      routeId: Filter by route ID
      startedAt: Filter by time range in format '{start}_{end}' ISO 8601 timestamp range (UTC assumed, no timezone indicator needed) (e.g., '2025-01-19T00:00:00_2025-01-19T23:59:59')
      state: Filter by alert group state (one of: new, acknowledged, resolved, silenced)
      teamId: Filter by team ID
    """


async def list_dashboard_versions(params: dict) -> str:
    """
    List saved versions of a Grafana dashboard. Returns compact metadata: version number, author, timestamp, and save message. Use get_dashboard_by_uid with version to fetch a snapshot.

    params: uid: str, limit?: int, start?: int
      uid: The UID of the dashboard
      limit (at least 1): Maximum number of versions to return
      start (at least 1): Version to start from. Only versions at or below this number are returned
    """


async def list_datasources(params: dict) -> str:
    """
    List all configured datasources in Grafana. Use this to discover available datasources and their UIDs. Supports filtering by type and/or name (case-insensitive substring match) and pagination.

    params: limit?: int = 50, name?: str, offset?: int = 0, type?: str
      limit: Maximum number of datasources to return (max 100)
      name: Case-insensitive substring match on the datasource name. For example, 'prod' matches datasources named 'prometheus-prod-eu' and 'loki-prod-us'. Useful on instances with many datasources where filtering by type alone returns too many results.
      offset: Number of datasources to skip for pagination
      type: The type of datasources to search for. For example, 'prometheus', 'loki', 'tempo', etc...
    """


async def list_incident_custom_fields(params: dict) -> str:
    """
    List the custom fields configured for Grafana incidents, including their type and, for select fields, the options that may be chosen. Use this to discover which fields exist and which values are valid before setting them with create_incident or update_incident.

    params: includeArchived?: bool
      includeArchived: Whether to include archived custom fields. Archived fields cannot be set on new incidents but may still hold values on older ones
    """


async def list_incidents(params: dict) -> str:
    """
    List Grafana incidents. Allows filtering by status ('active', 'resolved') and optionally including drill incidents. Returns a preview list with basic details, and custom field values if requested.

    params: drill?: bool, includeCustomFields?: bool, limit?: int = 10, status?: str
      drill: Whether to include drill incidents
      includeCustomFields: Whether to include each incident's custom field values. Off by default because it costs an extra request and makes the response considerably larger
      limit: The maximum number of incidents to return
      status: The status of the incidents to include. Valid values: 'active', 'resolved'
    """


async def list_loki_label_names(params: dict) -> str:
    """
    Lists all available label/field names (keys) found in logs within a specified Loki or VictoriaLogs datasource and time range. Returns a list of unique label strings (e.g., `["app", "env", "pod"]`). If the time range is not provided, it defaults to the last hour. Optionally narrow the search to a subset of streams with `matcher` (e.g. `{namespace="prod"}`).

    params: datasourceUid: str, endRfc3339?: str, matcher?: str, startRfc3339?: str
      datasourceUid: The UID of the datasource to query
      endRfc3339: Optionally, the end time of the query in RFC3339 format or relative time (e.g. 'now') (defaults to now)
      matcher: Optionally, a stream selector to narrow the search to matching streams (Loki: LogQL, e.g. '{namespace="prod"}'; VictoriaLogs: LogsQL). Defaults to searching across all streams.
      startRfc3339: Optionally, the start time of the query in RFC3339 format or relative time (e.g. 'now-1h') (defaults to 1 hour ago)
    """


async def list_loki_label_values(params: dict) -> str:
    """
    Retrieves all unique values associated with a specific `labelName` within a Loki or VictoriaLogs datasource and time range. Returns a list of string values (e.g., for `labelName="env"`, might return `["prod", "staging", "dev"]`). Useful for discovering filter options. Defaults to the last hour if the time range is omitted. Optionally narrow the search to a subset of streams with `matcher` (e.g. `{namespace="prod"}`) — for example, to list `service` values seen only within a specific namespace.

    params: datasourceUid: str, labelName: str, endRfc3339?: str, matcher?: str, startRfc3339?: str
      datasourceUid: The UID of the datasource to query
      labelName: The name of the label to retrieve values for (e.g. 'app', 'env', 'pod')
      endRfc3339: Optionally, the end time of the query in RFC3339 format or relative time (e.g. 'now') (defaults to now)
      matcher: Optionally, a stream selector to narrow the search to matching streams (Loki: LogQL, e.g. '{namespace="prod"}'; VictoriaLogs: LogsQL). Defaults to searching across all streams.
      startRfc3339: Optionally, the start time of the query in RFC3339 format or relative time (e.g. 'now-1h') (defaults to 1 hour ago)
    """


async def list_oncall_schedules(params: dict) -> str:
    """
    List Grafana OnCall schedules, optionally filtering by team ID. If a specific schedule ID is provided, retrieves details for only that schedule. Returns a list of schedule summaries including ID, name, team ID, timezone, and shift IDs. Supports pagination.

    params: page?: int, scheduleId?: str, teamId?: str
      page: The page number to return (1-based)
      scheduleId: The ID of the schedule to get details for. If provided, returns only that schedule's details
      teamId: The ID of the team to list schedules for
    """


async def list_oncall_teams(params: dict) -> str:
    """
    List teams configured in Grafana OnCall. Returns a list of team objects with their details. Supports pagination.

    params: page?: int
      page: The page number to return
    """


async def list_oncall_users(params: dict) -> str:
    """
    List users from Grafana OnCall. These are OnCall users (separate from Grafana users). Can retrieve all users in the OnCall directory, a specific user by ID, or filter by username. Returns a list of user objects with their details. Supports pagination.

    params: page?: int, userId?: str, username?: str
      page: The page number to return
      userId: The ID of the user to get details for. If provided, returns only that user's details
      username: The username to filter users by. If provided, returns only the user matching this username
    """


async def list_prometheus_label_names(params: dict) -> str:
    """
    List label names in a PromQL-compatible datasource (Prometheus, Thanos, Mimir, Cloud Monitoring, etc.). Allows filtering by series selectors and time range.

    params: datasourceUid: str, endRfc3339?: str, limit?: int = 100, matches?: list[{filters?: list[{name: str, value: str, type: str}]}], projectName?: str, startRfc3339?: str
      datasourceUid: The UID of the datasource to query
      endRfc3339: Optionally, the end time of the time range to filter the results by. Supports RFC3339 or relative time (e.g. 'now')
      limit: Optionally, the maximum number of results to return
      matches: Optionally, a list of label matchers to filter the results by
      matches[].filters[].name: The name of the label to match against
      matches[].filters[].value: The value to match against
      matches[].filters[].type: One of the '=' or '!=' or '=~' or '!~'
      projectName: GCP project name to query (Cloud Monitoring datasources only). Overrides or substitutes the defaultProject configured on the datasource.
      startRfc3339: Optionally, the start time of the time range to filter the results by. Supports RFC3339 or relative time (e.g. 'now-1h')
    """


async def list_prometheus_label_values(params: dict) -> str:
    """
    Use after list_prometheus_metric_names to find label values for filtering queries. Gets the values for a specific label name in a PromQL-compatible datasource (Prometheus, Thanos, Mimir, Cloud Monitoring, etc.). Allows filtering by series selectors and time range.

    params: datasourceUid: str, labelName: str, endRfc3339?: str, limit?: int = 100, matches?: list[{filters?: list[{name: str, value: str, type: str}]}], projectName?: str, startRfc3339?: str
      datasourceUid: The UID of the datasource to query
      labelName: The name of the label to query
      endRfc3339: Optionally, the end time of the query. Supports RFC3339 or relative time (e.g. 'now')
      limit: Optionally, the maximum number of results to return
      matches: Optionally, a list of selectors to filter the results by
      matches[].filters[].name: The name of the label to match against
      matches[].filters[].value: The value to match against
      matches[].filters[].type: One of the '=' or '!=' or '=~' or '!~'
      projectName: GCP project name to query (Cloud Monitoring datasources only). Overrides or substitutes the defaultProject configured on the datasource.
      startRfc3339: Optionally, the start time of the query. Supports RFC3339 or relative time (e.g. 'now-1h')
    """


async def list_prometheus_metric_metadata(params: dict) -> str:
    """
    List Prometheus metric metadata. Returns metadata about metrics currently scraped from targets. Note: This endpoint is experimental.

    params: datasourceUid: str, limit?: int = 10, limitPerMetric?: int, metric?: str, projectName?: str
      datasourceUid: The UID of the datasource to query
      limit: The maximum number of metrics to return
      limitPerMetric: The maximum number of metrics to return per metric
      metric: The metric to query
      projectName: GCP project name to query (Cloud Monitoring datasources only). Overrides or substitutes the defaultProject configured on the datasource.
    """


async def list_prometheus_metric_names(params: dict) -> str:
    """
    DISCOVERY: Call this first to find available metrics before querying. Lists metric names in a PromQL-compatible datasource (Prometheus, Thanos, Mimir, Cloud Monitoring, etc.). Filters metric names using the provided regex. Supports pagination (page * limit must not exceed 10000) and an optional time range to restrict results to metrics active within that window. Cloud Monitoring ignores the time range.

    params: datasourceUid: str, endRfc3339?: str, limit?: int = 10, page?: int = 1, projectName?: str, regex?: str, startRfc3339?: str
      datasourceUid: The UID of the datasource to query
      endRfc3339: Optionally, the end time of the time range to filter the results by. Supports RFC3339 or relative time (e.g. 'now')
      limit: The maximum number of results to return
      page: The page number to return
      projectName: GCP project name to query (Cloud Monitoring datasources only). Overrides or substitutes the defaultProject configured on the datasource.
      regex: The regex to match against the metric names
      startRfc3339: Optionally, the start time of the time range to filter the results by. Supports RFC3339 or relative time (e.g. 'now-1h')
    """


async def list_provisioning_repositories(params: dict) -> str:
    """
    List provisioning repositories (e.g. git-sync sources) configured for this Grafana instance. Returns each repository's slug along with its source URL, branch, path, sync state, and health. Use the returned `name` as the `repo` argument when rendering a not-yet-applied dashboard preview via get_panel_image's provisioningPreview parameter.

    params: none
    """


async def list_pyroscope_label_names(params: dict) -> str:
    """
    Lists all available label names (keys) found in profiles within a specified Pyroscope datasource, time range, and
    optional label matchers. Label matchers are typically used to qualify a service name ({service_name="foo"}). Returns a
    list of unique label strings (e.g., ["app", "env", "pod"]). Label names with double underscores (e.g. __name__) are
    internal and rarely useful to users. If the time range is not provided, it defaults to the last hour.

    params: data_source_uid: str, end_rfc_3339?: str, matchers?: str, start_rfc_3339?: str
      data_source_uid: The UID of the datasource to query
      end_rfc_3339: Optionally, the end time of the query in RFC3339 format or relative time (e.g. 'now') (defaults to now)
      start_rfc_3339: Optionally, the start time of the query in RFC3339 format or relative time (e.g. 'now-1h') (defaults to 1 hour ago)
    """


async def list_pyroscope_label_values(params: dict) -> str:
    """
    Lists all available label values for a particular label name found in profiles within a specified Pyroscope datasource,
    time range, and optional label matchers. Label matchers are typically used to qualify a service name ({service_name="foo"}).
    Returns a list of unique label strings (e.g. for label name "env": ["dev", "staging", "prod"]). If the time range
    is not provided, it defaults to the last hour.

    params: data_source_uid: str, name: str, end_rfc_3339?: str, matchers?: str, start_rfc_3339?: str
      data_source_uid: The UID of the datasource to query
      name: A label name
      end_rfc_3339: Optionally, the end time of the query in RFC3339 format or relative time (e.g. 'now') (defaults to now)
      matchers: Optionally, Prometheus style matchers used to filter the result set (defaults to: {})
      start_rfc_3339: Optionally, the start time of the query in RFC3339 format or relative time (e.g. 'now-1h') (defaults to 1 hour ago)
    """


async def list_pyroscope_profile_types(params: dict) -> str:
    """
    Lists all available profile types available in a specified Pyroscope datasource and time range. Returns a list of all
    available profile types (example profile type: "process_cpu:cpu:nanoseconds:cpu:nanoseconds"). A profile type has the
    following structure: <name>:<sample type>:<sample unit>:<period type>:<period unit>. Not all profile types are available
    for every service. If the time range is not provided, it defaults to the last hour.

    params: data_source_uid: str, end_rfc_3339?: str, start_rfc_3339?: str
      data_source_uid: The UID of the datasource to query
      end_rfc_3339: Optionally, the end time of the query in RFC3339 format or relative time (e.g. 'now') (defaults to now)
      start_rfc_3339: Optionally, the start time of the query in RFC3339 format or relative time (e.g. 'now-1h') (defaults to 1 hour ago)
    """


async def list_sift_investigations(params: dict) -> str:
    """
    Retrieves a list of Sift investigations with an optional limit. If no limit is specified, defaults to 10 investigations.

    params: limit?: int = 10
      limit: Maximum number of investigations to return
    """


async def list_snapshots(params: dict) -> str:
    """
    List Grafana dashboard snapshots with optional query and result limit filters.

    params: limit?: int, query?: str
      limit: Maximum number of snapshots to return (Grafana defaults to 1000 when omitted)
      query: Optional search query for snapshot name
    """


async def list_tempo_attribute_names(params: dict) -> str:
    """
    List available attribute names for TraceQL queries. Always pass a scope (resource, span, etc.) to avoid very large responses.

    params: datasourceUid: str, scope?: str
      datasourceUid: UID of the tempo datasource to query
      scope: Scope to filter attributes by (span, resource, event, link, instrumentation). Strongly recommended — omitting scope returns all attributes across all scopes which can be very large (100K+ chars).
    """


async def list_tempo_attribute_values(params: dict) -> str:
    """
    List values for a fully scoped attribute name (e.g. resource.service.name). Useful for discovering what values exist for a specific attribute.

    params: datasourceUid: str, name: str, "filter-query"?: str
      datasourceUid: UID of the tempo datasource to query
      name: The attribute name to get values for (e.g. 'span.http.method', 'resource.service.name')
      "filter-query": Filter query to apply to the attribute values. It can only have one spanset and only &&'ed conditions like { <cond> && <cond> && ... }. This is useful for filtering the values to a specific set of values.
    """


async def query_loki_logs(params: dict) -> str:
    """
    Executes a log query against a Loki or VictoriaLogs datasource and returns matching log entries (or metric samples on Loki). Defaults to the last hour, a limit of 10 entries, and 'backward' direction (newest first). The `logql` parameter takes LogQL on Loki and LogsQL on VictoriaLogs (e.g., Loki: `{app="foo"} |= "error"`; VictoriaLogs: `{app="foo"} "error"`). To count matching log lines precisely, use a `count_over_time()` metric query with queryType='instant'. Prefer using `query_loki_stats` first to cheaply check whether a stream contains data (avoiding expensive queries against empty streams) and `list_loki_label_names` / `list_loki_label_values` to verify labels exist before querying. Note: `query_loki_stats` returns approximate storage-level counts, not exact log line counts. For broad queries that match many lines, set `format` to 'compact' to group results by stream and avoid repeating label metadata on every line. If this server enables the Loki cost guardrail, expensive queries are rejected before execution: query cost is bytes SCANNED, determined only by the stream selector and time range — line filters (|=) and parsers (| json) reduce what is returned, not what is scanned. Use a stream selector with at least one selective positive label matcher (never `{}`, `=~".*"`/`=~".+"`, or negative-only matchers), keep time ranges narrow, and check size with `query_loki_stats` first; rejected queries return rewrite guidance.

    params: datasourceUid: str, logql: str, direction?: str, endRfc3339?: str, format?: "full" | "compact", limit?: int = 10, queryType?: str, startRfc3339?: str, stepSeconds?: int
      datasourceUid: The UID of the datasource to query
      logql: The LogQL query to execute against Loki. This can be a simple label matcher or a complex query with filters, parsers, and expressions. Supports full LogQL syntax including label matchers, filter operators, pattern expressions, and pipeline operations.
      direction: Optionally, the direction of the query: 'forward' (oldest first) or 'backward' (newest first, default)
      endRfc3339: Optionally, the end time of the query in RFC3339 format or relative time (e.g. 'now')
      format: Output format for log (streams) queries: 'full' (default) returns every entry with its own label metadata; 'compact' groups lines by stream so each label set is emitted only once, substantially reducing response size for broad queries. Structured metadata keys that are constant within a stream appear once on the stream header; keys that vary across lines appear per-line. Ignored for metric queries.
      limit: Optionally, the maximum number of log lines to return (default max: 100, configurable by MCP server).
      queryType: Query type: 'range' (default) or 'instant'. Instant queries return a single value at one point in time. Range queries return values over a time window. Use 'instant' for metric queries when you want the current value.
      startRfc3339: Optionally, the start time of the query in RFC3339 format or relative time (e.g. 'now-1h')
      stepSeconds: Resolution step in seconds for range metric queries. When running metric queries with queryType='range', this controls the time resolution of the returned data points.
    """


async def query_loki_patterns(params: dict) -> str:
    """
    Retrieves detected log patterns from a Loki datasource for a given stream selector and time range. Returns a list of patterns, each containing a pattern string and a total count of occurrences. Patterns help identify common log structures and anomalies. The `logql` parameter must be a stream selector (e.g., `{job="nginx"}`) and does not support line filters or aggregations. Defaults to the last hour if the time range is omitted. **Not supported on VictoriaLogs** datasources - use a `| stats` pipeline instead.

    params: datasourceUid: str, logql: str, endRfc3339?: str, startRfc3339?: str, step?: str
      datasourceUid: The UID of the datasource to query
      logql: A LogQL stream selector to identify the logs to analyze for patterns (e.g. {job="foo", namespace="bar"})
      endRfc3339: Optionally, the end time of the query in RFC3339 format or relative time (e.g. 'now') (defaults to now)
      startRfc3339: Optionally, the start time of the query in RFC3339 format or relative time (e.g. 'now-1h') (defaults to 1 hour ago)
      step: Optionally, the query resolution step (e.g. '5m')
    """


async def query_loki_stats(params: dict) -> str:
    """
    Retrieves index-level statistics about log streams matching a given selector within a Loki or VictoriaLogs datasource and time range. Returns an object containing the count of streams, chunks, entries, and total bytes (e.g., `{"streams": 5, "chunks": 50, "entries": 10000, "bytes": 512000}`). **Important**: the `entries` count reflects storage-level index entries (chunk metadata), NOT the number of individual log lines matching the selector. To count actual matching log lines, use `query_loki_logs` with a `count_over_time()` metric query instead. On VictoriaLogs only `entries` is populated; the other fields remain zero. The `logql` parameter **must** be a simple label selector (e.g., `{app="nginx", env="prod"}`) and does not support line filters, parsers, or aggregations. Defaults to the last hour if the time range is omitted.

    params: datasourceUid: str, logql: str, endRfc3339?: str, startRfc3339?: str
      datasourceUid: The UID of the datasource to query
      logql: The LogQL matcher expression to execute. This parameter only accepts label matcher expressions and does not support full LogQL queries. Line filters, pattern operations, and metric aggregations are not supported by the stats API endpoint. Only simple label selectors can be used here.
      endRfc3339: Optionally, the end time of the query in RFC3339 format or relative time (e.g. 'now')
      startRfc3339: Optionally, the start time of the query in RFC3339 format or relative time (e.g. 'now-1h')
    """


async def query_prometheus(params: dict) -> str:
    """
    WORKFLOW: list_prometheus_metric_names -> list_prometheus_label_values -> query_prometheus. Query a PromQL-compatible datasource (Prometheus, Thanos, Mimir, Cloud Monitoring, etc.) using a PromQL expression. Supports instant queries (single point) and range queries (time range). Time: RFC3339 or relative expressions like 'now'\\, 'now-1h'.

    params: datasourceUid: str, endTime: str, expr: str, projectName?: str, queryType?: str, startTime?: str, stepSeconds?: int
      datasourceUid: The UID of the datasource to query
      endTime: The end time. Supported formats are RFC3339 or relative to now (e.g. 'now', 'now-1.5h', 'now-2h45m'). Valid time units are 'ns', 'us' (or 'µs'), 'ms', 's', 'm', 'h', 'd'.
      expr: The PromQL expression to query
      projectName: GCP project name to query (Cloud Monitoring datasources only). Overrides or substitutes the defaultProject configured on the datasource.
      queryType: The type of query to use. Either 'range' or 'instant'
      startTime: The start time. Required if queryType is 'range', ignored if queryType is 'instant' Supported formats are RFC3339 or relative to now (e.g. 'now', 'now-1.5h', 'now-2h45m'). Valid time units are 'ns', 'us' (or 'µs'), 'ms', 's', 'm', 'h', 'd'.
      stepSeconds: The time series step size in seconds. Required if queryType is 'range', ignored if queryType is 'instant'
    """


async def query_prometheus_histogram(params: dict) -> str:
    """
    Query Prometheus histogram percentiles. DISCOVER FIRST: Use list_prometheus_metric_names with regex='.*_bucket$' to find histograms.

    Generates histogram_quantile PromQL. Example: metric='http_duration', percentile=95, labels='job="api"'

    Time formats: 'now-1h', '2026-02-02T19:00:00Z', '1738519200000' (Unix ms)

    params: datasourceUid: str, metric: str, percentile: float, endTime?: str, labels?: str, projectName?: str, rateInterval?: str, startTime?: str, stepSeconds?: int
      datasourceUid: The UID of the Prometheus datasource
      metric: Base histogram metric name (without _bucket suffix)
      percentile: Percentile to calculate (e.g. 50, 90, 95, 99)
      endTime: End time (default: now). Supports RFC3339, relative, or Unix ms.
      labels: Label selector (e.g. job="api", service="gateway")
      projectName: GCP project name to query (Cloud Monitoring datasources only). Overrides or substitutes the defaultProject configured on the datasource.
      rateInterval: Rate interval for the query (default: 5m)
      startTime: Start time (default: now-1h). Supports RFC3339, relative (now-1h), or Unix ms.
      stepSeconds: Step size in seconds for range query (default: 60)
    """


async def query_pyroscope(params: dict) -> str:
    """
    Unified Pyroscope query tool for fetching profiles or metrics from Pyroscope. Profile data shows WHICH functions consume resources; metrics data
    shows WHEN consumption spiked. Use query_type="both" for complete analysis in one call.

    query_type options (extends Grafana's PyroscopeQueryType):
    - "profile": returns profile data (shape controlled by format)
    - "metrics": returns time-series data points
    - "both" (default): returns both profile and metrics in one response

    format options (shape of the profile data):
    - "table" (default): per-function table with flat (self) and cumulative values, ranked by flat
    - "dot": call graph in Graphviz DOT format; nodes are per source line, so one function may span several nodes

    params: data_source_uid: str, profile_type: str, end_rfc_3339?: str, format?: str, group_by?: list[str], matchers?: str, max_node_depth?: int, query_type?: str, start_rfc_3339?: str, step?: float
      data_source_uid: The UID of the datasource to query
      profile_type: The profile type, use list_pyroscope_profile_types to discover available types
      end_rfc_3339: End time in RFC3339 or relative time (e.g. 'now') (defaults to now)
      format: Profile output format: "table" (default) for a per-function flat/cum table, or "dot" for a call graph in Graphviz DOT format
      group_by: Labels to group metrics series by
      matchers: Prometheus style matchers (defaults to: {})
      max_node_depth: Max functions in the profile table or nodes in the call graph; it is a count, not a depth (default: 100)
      query_type: Query type: "profile" (flamegraph), "metrics" (time-series), or "both" (default). Use "both" for complete analysis
      start_rfc_3339: Start time in RFC3339 or relative time (e.g. 'now-1h') (defaults to 1 hour ago)
      step: Seconds between metrics data points (default: auto)
    """


async def query_tempo_metrics(params: dict) -> str:
    """
    Compute trace-derived metrics using a TraceQL metrics query. The syntax is unlike PromQL; call get_tempo_traceql_docs with topic 'metrics' for the reference. Use type 'instant' for a single value or 'range' for a time series (default). Instant queries over large time ranges may timeout — keep the window under 15 minutes for instant, or use range instead.

    params: datasourceUid: str, query: str, end?: str, start?: str, type?: "instant" | "range" = "range"
      datasourceUid: UID of the tempo datasource to query
      query: TraceQL metrics query of the form '{ <selector> } | <aggregation> [by (<attribute>)]'. Example: '{ } | quantile_over_time(span:duration, .99) by (span.name)'.
      end: End time (RFC3339 format). If not provided will search the past 1 hour.
      start: Start time (RFC3339 format). If not provided will search the past 1 hour.
      type: Query type: 'instant' returns a single value at the end of the time range; 'range' returns a time series. Default is 'range'.
    """


async def search_dashboards(params: dict) -> str:
    """
    Search Grafana dashboards by query and/or folderUid, tag, and starred. Returns matching dashboards with title, UID, folder, tags, and URL.

    params: folderUid?: str, limit?: int = 50, page?: int = 1, query?: str, starred?: bool, tag?: list[str]
      folderUid: Optional immediate folder UID (not nested)
      limit: Maximum number of results to return (max 100)
      page: Page number for pagination (1-indexed)
      query: Optional query. Omit to filter by folderUid, tag, or starred
      starred: If true, only starred dashboards
      tag: Optional tags to match (AND)
    """


async def search_docs(params: dict) -> str:
    """
    Search Grafana documentation. Returns matching pages with title, URL, description, and product. Call with no query to list available product groups.

    params: limit?: int, product?: str, query?: str
      limit: Maximum results to return (default 5)
      product: Filter results to a specific product (e.g. 'Grafana Tempo', 'Grafana Loki')
      query: Search query for Grafana documentation. Omit to list all available product groups.
    """


async def search_folders(params: dict) -> str:
    """
    Search for Grafana folders by a query string. Returns matching folders with details like title, UID, and URL.

    params: query?: str
      query: The query to search for
    """


async def search_plugin_information(params: dict) -> str:
    """
    Search the Grafana plugin catalog by keyword to discover available plugins before installing or getting plugin details on a specific instance. Returns results sorted by trust: official Grafana Labs plugins first, then commercial partner plugins, then community plugins. Use this tool when a user describes a plugin by purpose or partial name (e.g. 'azure monitoring', 'loki', 'database') — it returns the exact pluginId to pass to get_plugin or install_plugin. Results include warnings for enterprise-only or Angular-based plugins.

    params: query: str
      query: Keyword to search for plugins (e.g. 'azure', 'prometheus', 'loki', 'database'). Matches against plugin name, slug, description, and keywords.
    """


async def search_tempo_traces(params: dict) -> str:
    """
    Search for traces using TraceQL queries

    params: datasourceUid: str, query: str, end?: str, start?: str
      datasourceUid: UID of the tempo datasource to query
      query: TraceQL query string
      end: End time for the search (RFC3339 format). If not provided will search the past 1 hour. If provided, must be after start.
      start: Start time for the search (RFC3339 format). If not provided will search the past 1 hour. If provided, must be before end.
    """


async def suggest_loki_alloy_label_config(params: dict) -> str:
    """
    Generates an Alloy loki.process snippet enforcing an approved label set via stage.label_keep, with optional log-level normalisation and soft-enforcement placeholders.

    params: approvedLabels: list[str], componentName?: str, forwardTo?: str, normalizeLogLevel?: bool, requiredLabels?: list[str]
      approvedLabels: Labels to keep on the index.
      requiredLabels: Labels that get an 'unknown' placeholder when missing.
    """


async def update_alert_group(params: dict) -> str:
    """
    Update the state of a Grafana OnCall alert group: acknowledge, unacknowledge, resolve, or unresolve it by ID. Returns the alert group's resulting OnCall state (one of new, acknowledged, resolved, silenced), or a stateWarning explaining why that state could not be read back after a successful update.

    params: alertGroupId: str, state: str
      alertGroupId: The ID of the alert group to update
      state: New state for the alert group. One of: acknowledged, unacknowledged, resolved, unresolved
    """


async def update_annotation(params: dict) -> str:
    """
    Updates the provided properties of an annotation by ID. Only fields included in the request are modified; omitted fields are left unchanged.

    params: data?: dict, id?: int, tags?: list[str], text?: str, time?: int, timeEnd?: int
      data: Optional JSON payload
      id: Annotation ID to update
      tags: Tags to replace existing tags
      text: New annotation text
      time: New start time epoch ms
      timeEnd: New end time epoch ms
    """


async def update_dashboard(params: dict) -> str:
    """
    Create or update a dashboard. Two modes: (1) Full JSON — provide 'dashboard' for new dashboards or complete replacements. (2) Patch — provide 'uid' + 'operations' to make targeted changes to an existing dashboard. One of these two modes is required; 'folderUid'\\, 'message'\\, and 'overwrite' are supplementary and do nothing on their own. Dashboard authoring guidance: if a saved query must support one\\, many\\, or All values from a multi-select variable inside a regex expression or matcher\\, save '${var:regex}' rather than plain '$var'. Saved dashboard annotation queries/definitions must be written into dashboard JSON under 'annotations.list'; the create_annotation tool creates annotation events and does not add a reusable dashboard annotation query/definition to the saved dashboard. For stat panels over the current dashboard range\\, make the query return the range-level result the stat should display; panel-side reduction only reduces returned series and does not compute peak-over-range or ratio-of-peaks semantics for you. Patch operations support JSONPaths like '$.panels[0].targets[0].expr'\\, '$.panels[1].title'\\, '$.panels[2].targets[0].datasource'\\, '$.templating.list/-'\\, and '$.annotations.list/-'. Append to arrays with '/- ' syntax: '$.panels/- '. Remove by index: {"op": "remove"\\, "path": "$.panels[2]"}. Multiple removes on the same array are automatically reordered to avoid index-shifting issues. Note: only numeric array indices are supported in patch paths; filter expressions like [?(@.id==2)] and wildcards like [*] are not supported. v2 dashboards (check 'isV2' from get_dashboard_by_uid) use a different shape: patch '$.elements.<name>.spec.title' or '$.elements.<name>.spec.data.spec.queries[0].spec' and edit '$.variables'/'$.layout' rather than '$.panels'/'$.templating.list'. Full-JSON saves containing top-level 'elements'/'layout' are written as v2 and require a Kubernetes-capable Grafana. After creating or updating a dashboard\\, verify that panel queries return data by using `run_panel_query` or the appropriate query tool (`query_prometheus`\\, `query_loki_logs`\\, etc.) to validate expressions before considering the task complete.

    params: dashboard?: dict, folderUid?: str, message?: str, operations?: list[{op: str, path: str, value?: Any}], overwrite?: bool, uid?: str, userId?: int
      dashboard: The full dashboard JSON. Use for creating new dashboards or complete updates. Saved dashboard annotation queries/definitions live in 'annotations.list' inside this JSON; they are different from annotation events created with create_annotation. Large dashboards consume significant context - consider using patches for small changes.
      folderUid: The UID of the dashboard's folder
      message: Set a commit message for the version history
      operations: Array of patch operations for targeted updates. More efficient than full dashboard JSON for small changes. Common paths: '$.templating.list/-' to add a variable, '$.annotations.list/-' to add a saved dashboard annotation query/definition, '$.panels[0].targets[0].expr' to replace a panel query.
      operations[].op: Operation type: 'replace', 'add', 'remove'
      operations[].path: JSONPath to the property to modify. Supports: '$.title', '$.panels[0].title', '$.panels[0].targets[0].expr', '$.panels[1].targets[0].datasource', '$.templating.list/-' (append a variable), '$.annotations.list/-' (append a saved dashboard annotation query/definition). For appending to arrays, use '/- ' syntax: '$.panels/- ' (append to panels array) or '$.panels[2]/- ' (append to nested array at index 2).
      operations[].value: New value for replace/add operations. When adding a saved dashboard annotation query/definition, append an object to '$.annotations.list' rather than calling create_annotation.
      overwrite: Overwrite the dashboard if it exists. Otherwise create one
      uid: UID of existing dashboard to update. Must be used together with 'operations'. Providing 'uid' without 'operations' will fail.
      userId: ID of the user making the change
    """


async def update_datasource(params: dict) -> str:
    """
    Update non-secret datasource fields by UID. Omitted fields are preserved. IMPORTANT: always call this tool twice. First call: provide only the uid — the tool returns the datasource's field schema. After receiving the schema, ask the user which fields they want to change and confirm each new value; do not infer or reset fields the user did not mention. Second call: provide the uid, schemaReviewed=true, and the changed values in the fields map. Returns an update message and a health check. For secrets, direct the user to the Grafana UI.

    params: uid: str, access?: str, basicAuth?: bool, database?: str, fields?: dict, isDefault?: bool, jsonData?: dict, name?: str, schemaReviewed?: bool, url?: str
      uid: UID of the datasource to update
      access: proxy or direct
      basicAuth: Enable basic auth
      database: Database name
      fields: Datasource field values to change, keyed by field key from the schema returned on the first call. The server uses each field's target (root or jsonData) to place values correctly, merging jsonData changes into the existing settings. Only include the fields you want to change. Example: {"httpMethod": "POST"}.
      isDefault: Make this the default datasource
      jsonData: Non-secret plugin settings; replaces existing jsonData when set
      name: Display name
      schemaReviewed: Set to true on the second call to confirm you reviewed the schema and collected the changes from the user.
      url: Base URL
    """


async def update_incident(params: dict) -> str:
    """
    Update an existing Grafana incident by ID. Allows changing the status ('active' or 'resolved'), the severity, the title, and custom field values. Only the provided fields are changed. Use this to resolve an incident, to correct its severity or title, or to fill in custom fields as part of an on-call workflow.

    params: incidentId: str, customFields?: list[{field: str, values?: list[str]}], severity?: str, status?: str, title?: str
      incidentId: The ID of the incident to update
      customFields: Custom field values to set. Only the listed fields are changed. Use list_incident_custom_fields to discover the available fields and their valid values
      customFields[].field: The name or UUID of the custom field to set. Use list_incident_custom_fields to discover the available fields
      customFields[].values: The value(s) to set. Text and number fields take a single value; single-select fields take one option; multi-select fields take one or more options. Select options may be given as their label, value or UUID. Pass an empty list to clear the field
      severity: The new severity of the incident, e.g. 'minor', 'major', 'critical'
      status: The new status of the incident. Valid values: 'active', 'resolved'
      title: The new title of the incident
    """


async def user_info(params: dict) -> str:
    """
    Get information about the current Grafana identity: login, email, name, whether it is a Grafana (server) admin, the current organization, and the organizations it can access (with roles). Call this to discover which orgId values are valid before targeting a specific organization, and to understand the identity's capabilities.

    params: none
    """


async def validate_provisioning_file(params: dict) -> str:
    """
    Validate a file in a provisioning repository at a given branch or commit by dry-run applying it. Returns whether the file would be accepted (valid)\\, what resource action would result (create/update)\\, the target resource type\\, and any structured validation errors. Use to confirm a draft dashboard or other resource will be accepted before merging or applying a PR — this is the same validation surface that Grafana's PR commenter reports.

    params: path: str, repo: str, ref?: str
      path: File path within the repository (e.g. 'folder/dashboard.json').
      repo: Provisioning repository slug. Get one from list_provisioning_repositories.
      ref: Branch or commit SHA. Defaults to the repository's main branch.
    """
