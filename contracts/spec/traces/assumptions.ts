import { assumptionsAbout } from "../assumption.ts";

/** Taking in trace rows, which the specification names by their rate limits only. */
export const INGEST_ASSUMPTIONS = assumptionsAbout("8.5", "X-1", {
  "ingest.accepted_status": {
    choice: 202,
    alternatives: [200],
    reason: "Public clients expect it.",
  },
  "ingest.row_status": {
    section: "2.7",
    choice: "as sent; otherwise error if error is set, else success if it has ended, else pending",
    reason: "Clients rarely send a status.",
  },
  "ingest.trace_tier": {
    section: "2.7",
    choice: "as sent, on each row; null if none was sent",
    reason: "The column has no values in the specification. The emulator does not delete rows by their tier.",
  },
  "ingest.first_token_time": {
    section: "2.7",
    choice: "as sent; otherwise the time of the first event new_token",
    reason: "The source of the column is not shown. Tracers of streamed model calls send this event.",
  },
  "ingest.row_time": {
    section: "2.7",
    choice: "any start_time",
    reason:
      "Tests need old and future rows. The public service was observed to refuse a request with a row more than 24 hours from its own time.",
    setting: "ingest.window",
  },
  "ingest.project": {
    choice: "created when its name or id is first used; the project default if none is named",
    reason: "Clients send rows before they request a project.",
  },
  "ingest.change_before_row": {
    choice: "stored until the row arrives; 429 if 100000 changes of a workspace wait",
    reason: "Batches of a client may arrive in any order.",
  },
  "ingest.child_before_parent": {
    section: "2.7",
    choice:
      "a root until the parent arrives, in the row, lists and exports; then a part of the parent's trace",
    reason:
      "A span ends, and is sent, before its parent. This applies to a child without a dotted_order. The public service was observed to hide an OTLP span until its parent arrives, and to drop it after 12 hours.",
  },
  "ingest.roll_up": {
    section: "2.7",
    choice: "children",
    alternatives: ["none"],
    reason:
      "A row without its own tokens shows the sum of its children's; the same applies to costs. A row with its own tokens shows only these, so that nothing counts twice.",
  },
  "ingest.deleted_project": {
    choice:
      "its rows disappear from replies and later exports immediately, and from the disk at the next reset",
    reason: "An export that was created earlier continues, because it reads the rows as of its start.",
  },
  "ingest.multipart_lengths": {
    choice: "optional",
    alternatives: ["required"],
    reason:
      "A part with a declared length must have that length. Whether the length is required is not shown, and tools for single requests omit it.",
    observed: "required",
  },
  "ingest.multipart_parts": {
    choice: 20_000,
    reason: "A limit: more parts, or more than 8192 bytes of headers in one of them, are refused.",
  },
  "ingest.attachments": {
    choice: "accepted and discarded; the journal names them with type and size",
    reason: "An export has no column for them.",
  },
  "ingest.body_encodings": {
    choice: "gzip, deflate, br, zstd",
    reason: "Public clients use these encodings, and /info lists them.",
  },
  "ingest.spans": {
    choice: "a row's id is the last half of the trace id and the span id; the trace's id is its root's",
    reason: "A span that is sent twice must be one row, and its trace must have the id that the sender uses.",
  },
  "ingest.span_errors": {
    choice: "400 and google.rpc.Status, in the form of the request",
    reason:
      "OTLP/HTTP requires this, and its exporters do not retry a refused batch. OTLP/JSON has no names in snake_case, so these are refused instead of ignored.",
  },
  "ingest.missing_id": {
    choice: "POST /runs generates one; in a batch each row needs an id",
    reason: "A client that traces single rows may omit it. In a batch it connects a row and its changes.",
  },
  "ingest.span_project": {
    choice: "header Langsmith-Project, else the attribute langsmith.trace.session_name, else default",
    reason: "Spans have no field for a project. Public exporters send these.",
  },
  "ingest.span_content": {
    choice:
      "the attributes and events that the public service documents fill name, run_type, error, inputs, outputs, metadata, usage_metadata and invocation_params; all other attributes become metadata",
    reason:
      "Tracers of model calls use several conventions. An event exception is an error, except in a span with the status OK. Of two attributes for one member, the first in the order of the emulator counts.",
  },
  "ingest.json": {
    section: "2.7",
    choice:
      "kept as text, without spaces: the digits of numbers and the order of members are those that were sent",
    reason:
      "The specification says JSON, and nothing of numbers that a double cannot represent. Identifiers of 64 bits are common in traces.",
  },
  "ingest.feedback": {
    choice: "summed up by key in feedback_stats: n, avg of the scores, values, the last 20 comments",
    reason: "The column exists, but its form is not shown. Filters and public clients read this.",
  },
  "ingest.repeated_row": {
    choice: "the first one counts, with its later changes",
    reason: "A client that received no reply sends its rows again.",
  },
  "ingest.batch": {
    choice: "stored completely or refused completely",
    reason: "After a partial ingest the sender would not know which rows were stored.",
  },
});
