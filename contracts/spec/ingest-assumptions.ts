import type { Assumption } from "./assumption.ts";

/** Taking in trace rows, which the specification names by their rate limits only. */
export const INGEST_ASSUMPTIONS = {
  "ingest.accepted_status": {
    section: "8.5",
    requirement: "X-1",
    choice: 202,
    alternatives: [],
    reason: "What public clients expect.",
  },
  "ingest.row_status": {
    section: "2.7",
    requirement: "X-1",
    choice: "error when error is set, else success when ended, else pending",
    alternatives: [],
    reason: "Clients rarely send a status.",
  },
  "ingest.row_time": {
    section: "2.7",
    requirement: "X-1",
    choice: "any start_time",
    alternatives: [],
    reason: "A test needs old and future rows alike.",
  },
  "ingest.project": {
    section: "8.5",
    requirement: "X-1",
    choice: "created when its name or id is first used; without one the project is default",
    alternatives: [],
    reason: "Clients send rows before they ask for a project.",
  },
  "ingest.change_before_row": {
    section: "8.5",
    requirement: "X-1",
    choice: "kept until the row comes",
    alternatives: [],
    reason: "Batches of a client may overtake each other.",
  },
  "ingest.repeated_row": {
    section: "8.5",
    requirement: "X-1",
    choice: "the last one counts",
    alternatives: [],
    reason: "A client that saw no answer sends its rows again.",
  },
  "ingest.batch": {
    section: "8.5",
    requirement: "X-1",
    choice: "taken in whole or refused whole",
    alternatives: [],
    reason: "Half a batch would leave its sender guessing.",
  },
} as const satisfies Record<string, Assumption>;
