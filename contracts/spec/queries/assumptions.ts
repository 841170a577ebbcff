import type { Assumption } from "../assumption.ts";

/** Reading trace rows back, which the specification names by its rate limits only. */
export const QUERY_ASSUMPTIONS = {
  "query.order": {
    section: "8.5",
    requirement: "X-1",
    choice: "by start_time, then id; the latest first",
    alternatives: [],
    reason: "Rows that arrive during paging are then neither lost nor repeated.",
  },
  "query.window": {
    section: "8.5",
    requirement: "X-1",
    choice: "rows that began in it, its start inclusive, its end exclusive",
    alternatives: [],
    reason: "The window of an export (§2.5) is read in the same way.",
  },
  "query.page_rows": {
    section: "8.5",
    requirement: "X-1",
    choice: 100,
    alternatives: [],
    reason: "What public clients ask for at most.",
  },
  "query.rows_looked_at": {
    section: "8.5",
    requirement: "X-1",
    choice: 5_000,
    alternatives: [],
    reason:
      "A page looks at no more rows, or 32 MB of them, whatever it finds: one with a rare filter can be short and still lead on. Clients follow the cursor.",
  },
  "query.without_project": {
    section: "8.5",
    requirement: "X-1",
    choice: "refused unless rows, a trace or a parent are named",
    alternatives: [],
    reason: "Public clients always name one of them.",
  },
  "query.thread": {
    section: "8.5",
    requirement: "X-1",
    choice: "thread_id is the first text of the metadata session_id, thread_id, conversation_id",
    alternatives: [],
    reason:
      "Public clients group rows into threads by it, and filter by it; the order is the one documented.",
  },
  "query.unknown_project": {
    section: "8.5",
    requirement: "X-1",
    choice: "has no rows",
    alternatives: [],
    reason:
      "A query and a sum name many projects at once; one of another workspace or region looks like one that never was.",
  },
  "query.run_times": {
    section: "8.5",
    requirement: "X-1",
    choice: "Z",
    alternatives: ["none"],
    reason: "Times of rows end in Z; the public service was seen to leave the zone out.",
    observed: "none",
    switchable: true,
  },
  "query.v2_words": {
    section: "8.5",
    requirement: "X-1",
    choice:
      "run_type, status and selects in upper case, others refused; costs as numbers, project_id for session_id",
    alternatives: [],
    reason: "What the types of the newest public client say; a lower-case value would fail at the service.",
  },
  "query.v2_window": {
    section: "8.5",
    requirement: "X-1",
    choice: "without min_start_time the last 24 hours, without max_start_time up to now",
    alternatives: [],
    reason:
      "The public service was seen to do so without a word; a query that forgets it must find nothing here too.",
  },
  "query.v2_selects": {
    section: "8.5",
    requirement: "X-1",
    choice: "without selects the id alone, with them exactly what they name",
    alternatives: [],
    reason: "The public service was seen to do so; more would hide a forgotten select.",
  },
  "query.stats_tokens": {
    section: "8.5",
    requirement: "X-1",
    choice: "each row counts what is its own; roots, when only they are asked for, what they show",
    alternatives: [],
    reason: "A token that is shown on a model call and on its trace's root was used once.",
  },
} as const satisfies Record<string, Assumption>;
