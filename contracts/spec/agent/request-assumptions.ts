import type { AssumptionRow } from "../assumption.ts";

/** §4 and §5: how requests to the agent server are read, and what a refused one gets. */
export const AGENT_REQUEST_ASSUMPTIONS = {
  "agent.error_body": {
    requirement: "2.3-1",
    choice: "a JSON string",
    alternatives: ['{"detail": string}', "plain text"],
    ruledOut: ['{"detail": string}'],
    reason: "The error is a plain string. It is sent as JSON so that clients can parse every reply.",
    observed: '{"detail": string}',
  },
  "agent.authentication": {
    requirement: "5-5",
    choice: "optional",
    alternatives: ["required"],
    reason:
      "Not shown. Without a key the default workspace is used, and a key that is sent must be accepted.",
  },
  "agent.running_filter": {
    section: "4.1",
    requirement: "2.1-4",
    choice: 422,
    alternatives: ["accepted"],
    ruledOut: ["accepted"],
    reason:
      "The filter accepts five statuses, so running is refused like any other text. Newer versions of the public service accept it.",
    observed: "accepted",
  },
  "agent.list_order": {
    requirement: "4.1-4",
    choice: "newest first",
    alternatives: ["oldest first"],
    reason:
      "No order is shown. A list of ten should contain the latest run, as observed at the public service.",
  },
  "agent.list_limit": {
    section: "8.1",
    requirement: "4.1-4",
    choice: 1000,
    reason: "No bounds are shown. A page needs a maximum, and an offset cannot be negative.",
  },
  "agent.invalid_request": {
    section: "7.1",
    requirement: "4.1-3",
    choice: 422,
    alternatives: [400],
    reason:
      "The list of runs has this status (§7.1), but not its conditions. The other operations do the same.",
  },
  "agent.unknown_id": {
    section: "7.1",
    requirement: "4.1-3",
    choice: 404,
    alternatives: [422],
    reason:
      "The list of runs has this status (§7.1), but not its conditions. The other operations do the same.",
  },
  "agent.success_status": {
    requirement: "4.8-1",
    choice: 200,
    alternatives: [201],
    reason: "Only the list of runs has a status. The alternative applies to creations.",
  },
  "agent.description_path": {
    requirement: "9-1",
    choice: "/openapi.json",
    reason: "The description has a version. Its path is not shown.",
  },
  "agent.select_spellings": {
    requirement: "4.1-4",
    choice: "repeated, select[], select[0], commas, one JSON list",
    reason: "Clients use all of these spellings of a list in a query.",
  },
  "agent.request_members": {
    requirement: "4.8-2",
    choice:
      "accepted as public clients send them, in addition to assistant_id, input, stream_mode and webhook",
    reason: "The remaining request fields are not shown, and public clients send many of them.",
  },
  "agent.null_input": {
    requirement: "4.8-2",
    choice: "the same as none",
    reason:
      "The input is an object, so other types are refused with 422. Public clients send null to resume a run without input.",
  },
  "agent.both_spellings": {
    requirement: "4.8-1",
    choice: "/thread and /threads",
    alternatives: ["/threads"],
    ruledOut: ["/threads"],
    reason: "The operations of §4.8 are in the singular, but clients use only the plural.",
    observed: "/threads",
  },
} as const satisfies Record<string, AssumptionRow>;
