import type { Assumption } from "../assumption.ts";

/** §6: how deliveries are made, and what a refused address gets. */
export const WEBHOOK_ASSUMPTIONS = {
  "agent.webhook_statuses": {
    section: "6",
    requirement: "6-2",
    choice: "success, error, timeout, interrupted",
    alternatives: [],
    reason: "A run completes with any final status; that only some of them are delivered is not said.",
  },
  "agent.webhook_attempts": {
    section: "6",
    requirement: "6-3",
    choice: 3,
    alternatives: [],
    reason:
      "Retries are not shown; network errors, time-outs, 429 and 5xx are tried again, as the public service was seen to do.",
    setting: "limits.webhook_attempts",
  },
  "agent.webhook_retry_delay": {
    section: "6",
    requirement: "6-3",
    choice: "PT1S",
    alternatives: [],
    reason: "The wait doubles with each attempt and has no jitter, so that a test knows the instant.",
    setting: "timings.webhook_retry_delay",
  },
  "agent.webhook_timeouts": {
    section: "6",
    requirement: "6-3",
    choice: "PT5S to connect, PT10S to answer",
    alternatives: [],
    reason:
      "Time-outs are not shown. The service was seen to wait 30 s for an answer, which is as long as a move of the clock waits at all.",
  },
  "agent.webhook_headers": {
    section: "6",
    requirement: "6-3",
    choice: "Content-Type: application/json unless webhooks.headers sets it, no signature",
    alternatives: [],
    reason: "Default headers and signing are not shown; receivers need the type to parse the body.",
  },
  "agent.webhook_redirects": {
    section: "6",
    requirement: "6-3",
    choice: 5,
    alternatives: [],
    reason:
      "Redirects are not shown. Each hop passes the policy again; 307 and 308 repeat the POST, others turn it into a GET, and static headers stay with the origin that they were meant for.",
  },
  "agent.webhook_refusal": {
    section: "6.1",
    requirement: "6-3",
    choice: 422,
    alternatives: [],
    reason: "The reply to a refused URL is not shown; it is a value that fails validation.",
  },
  "agent.webhook_url_form": {
    section: "6.1",
    requirement: "6-3",
    choice: "http, https or a path",
    alternatives: [],
    reason: "Other schemes cannot be posted to, and //host is a foreign host in the clothes of a path.",
  },
  "agent.webhook_control_paths": {
    section: "6.1",
    requirement: "6.1-7",
    choice: "refused, the inbox aside",
    alternatives: [],
    reason:
      "A relative URL calls the server itself, and so may an address of this machine or network; the test-only paths are no part of the service that it stands for.",
  },
  "agent.webhook_without_url_block": {
    section: "6.1",
    requirement: "6.1-11",
    choice: "no rule applies",
    alternatives: ["the defaults of the block apply"],
    reason:
      "The defaults are shown for keys of the block; whether they hold where no key of it is configured is not. They would refuse every receiver on a developer's machine.",
    switchable: true,
  },
  "agent.webhook_local_addresses": {
    section: "6.1",
    requirement: "6.1-4",
    choice: "allow",
    alternatives: ["refuse"],
    reason:
      "The specification knows no rule about private, loopback and link-local addresses; a host on allowed_domains is allowed in any case.",
    switchable: true,
  },
  "agent.webhook_setting_types": {
    section: "6.1",
    requirement: "6.1-10",
    choice: "start-up refuses",
    alternatives: [],
    reason: "The types of the keys are shown; what a value of another type leads to is not.",
  },
  "agent.webhook_max_url_length": {
    section: "6.1",
    requirement: "6.1-8",
    choice: 4096,
    alternatives: [],
    reason: "A maximum exists and its default is not shown.",
    setting: "webhooks.url.max_url_length",
  },
  "agent.webhook_env_prefix": {
    section: "6.1",
    requirement: "6.1-2",
    choice: "LG_WEBHOOK_",
    alternatives: [],
    reason: "The default ends in WEBHOOK_; what it begins with is not shown, and this is what was observed.",
    setting: "webhooks.env_prefix",
  },
  "agent.webhook_version_gate": {
    section: "6.1",
    requirement: "6.1-10",
    choice: "start-up refuses",
    alternatives: [],
    reason: "An older server would pass over settings that people rely on for their safety.",
  },
  "agent.webhook_disabled": {
    section: "6.1",
    requirement: "6.1-9",
    choice: "accepted and not delivered",
    alternatives: [],
    reason: "Whether a request with a webhook is refused while webhooks are off is not shown.",
  },
} as const satisfies Record<string, Assumption>;
