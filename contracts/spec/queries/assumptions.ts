import { assumptionsAbout } from "../assumption.ts";

/** Reading trace rows back, which the specification names by its rate limits only. */
export const QUERY_ASSUMPTIONS = assumptionsAbout("8.5", "X-1", {
  "query.order": {
    choice: "the latest first",
    alternatives: ["the oldest first"],
    reason:
      "By start_time, then id, so that rows that arrive during paging are neither lost nor repeated. A query may name the order.",
  },
  "query.window": {
    choice: "rows that started in it, start inclusive, end exclusive",
    reason: "The window of an export (§2.5) has the same bounds.",
  },
  "query.page_rows": {
    choice: 100,
    reason: "The maximum that public clients request.",
  },
  "query.rows_looked_at": {
    choice: 5_000,
    reason:
      "A page reads at most this many rows, or 32 MB of them. With a selective filter a page can be short and still have a next page. Clients follow the cursor.",
  },
  "query.without_project": {
    choice: "refused unless it names rows, a trace or a parent",
    reason: "Public clients always name one of them.",
  },
  "query.thread": {
    choice: "thread_id is the first text of the metadata session_id, thread_id, conversation_id",
    reason: "Public clients group and filter rows by thread. The order is documented.",
  },
  "query.unknown_project": {
    choice: "has no rows",
    reason:
      "A query can name many projects. A project of another workspace or region looks like one that does not exist.",
  },
  "query.run_times": {
    choice: "Z",
    alternatives: ["none"],
    reason: "Times of rows end in Z. The public service was observed to omit the zone.",
    observed: "none",
  },
  "query.always_selected": {
    choice: "POST /runs/query: id, name, run_type, start_time and trace_id, whatever is selected",
    reason: "The models of public clients require them. Without them, a client fails on every selection.",
  },
  "query.v2_words": {
    choice:
      "run_type, status and selects only in upper case; costs as numbers; project_id instead of session_id",
    reason:
      "The types of the newest public client require this. A lower-case value would fail at the service.",
  },
  "query.v2_window": {
    choice: "without min_start_time the last 24 hours, without max_start_time up to now",
    reason:
      "The public service was observed to do so without a warning. A query without a window must find the same rows here.",
  },
  "query.v2_selects": {
    choice: "v2 queries: without selects only the id, with selects exactly the named members",
    reason: "The public service was observed to do so. Returning more would hide a forgotten select.",
  },
  "query.project_stats": {
    choice: "the figures of all root rows of the project, only with include_stats=true",
    reason: "Public clients show a project's traces, their latency and their errors, and send include_stats.",
  },
  "query.v2_traces": {
    choice:
      "a trace is its root row; trace_aggregates are the figures that the root row shows; latest first, the rows of a trace earliest first",
    reason:
      "A root row without tokens of its own shows those of its children. Public clients document the members and the order.",
  },
  "query.v2_threads": {
    choice:
      "a thread is the root rows with one thread_id (query.thread); latest activity first, its traces earliest first; trace_filter and tree_filter select whole threads",
    reason: "Public clients document this, except for the order of threads.",
  },
  "query.v2_omitted": {
    choice:
      "the filters thread_filter and ai_search are refused (422); replies omit the selects OP and TURN_NUMBER, and details of tokens and costs",
    reason:
      "Without these filters the wrong rows would be selected. The service documents 501 where it does not support a criterion; clients repeat requests with that status.",
  },
  "query.v2_url": {
    choice: "the host of the request, app_path and trace_id; 404 for a row that does not exist",
    reason: "There is no web app. Clients print the address without opening it.",
  },
  "query.legacy_end": {
    choice:
      "with legacy_end, POST /runs/query and GET /runs/{run_id} answer 410 from then on; before, their replies have Deprecation: true and Sunset with the date",
    reason:
      "Public clients announce that the calls of these two operations are removed after 2027-01-31. The headers are documented, the status is not. An operation that the service removed before answered 410.",
    setting: "legacy_end",
  },
  "query.stats_tokens": {
    choice: "each row counts its own tokens; if only roots are selected, they count what they show",
    reason: "A token that is shown on a model call and on the root of its trace was used only once.",
  },
});
