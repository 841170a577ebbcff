import type { AssumptionRow } from "../assumption.ts";

/** §6: how deliveries are made, and what a refused address gets. */
export const WEBHOOK_ASSUMPTIONS = {
  "agent.webhook_statuses": {
    requirement: "6-2",
    choice: "success, error, timeout, interrupted",
    reason:
      "A run completes with any final status. The specification does not limit delivery to some of them.",
  },
  "agent.webhook_attempts": {
    requirement: "6-3",
    choice: 3,
    reason:
      "Retries are not shown. Network errors, time-outs, 429 and 5xx are retried, as observed at the public service.",
    setting: "limits.webhook_attempts",
  },
  "agent.webhook_retry_delay": {
    requirement: "6-3",
    choice: "PT1S",
    reason: "The wait doubles with each attempt. It has no jitter, so that a test can predict the instant.",
    setting: "timings.webhook_retry_delay",
  },
  "agent.webhook_timeouts": {
    requirement: "6-3",
    choice: "PT5S to connect, PT10S to answer",
    reason:
      "Time-outs are not shown. The service was observed to wait 30 s for a reply. An advance of the clock waits at most that long (`timings.effect_patience`), so the emulator waits less.",
  },
  "agent.webhook_headers": {
    requirement: "6-3",
    choice: "Content-Type: application/json unless webhooks.headers sets it, no signature",
    reason: "Default headers and signing are not shown. Receivers need the type to parse the body.",
  },
  "agent.webhook_redirects": {
    requirement: "6-3",
    choice: 5,
    reason:
      "Redirects are not shown. The policy is checked for each hop. 307 and 308 repeat the POST, others become a GET. Static headers are sent only to the original origin.",
  },
  "agent.webhook_refusal": {
    section: "6.1",
    requirement: "6-3",
    choice: 422,
    alternatives: [400],
    reason: "The reply to a refused URL is not shown. The URL is a value that fails validation.",
  },
  "agent.webhook_url_form": {
    section: "6.1",
    requirement: "6-3",
    choice: "http, https or a path",
    reason: "Other schemes do not support POST, and //host is another host that looks like a path.",
  },
  "agent.webhook_control_paths": {
    requirement: "6.1-7",
    choice: "refused, except for the inbox",
    reason:
      "A relative URL, or an address of this machine or network, can call the emulator itself. The test-only paths are not part of the emulated service.",
  },
  "agent.webhook_test_receivers": {
    requirement: "6.1-11",
    choice: true,
    alternatives: [false],
    reason:
      "The default ports would refuse every receiver on a developer's machine. Deliveries that pass only because of this setting are marked. The service was not observed to have it.",
    setting: "webhooks.url.test_receivers",
  },
  "agent.webhook_local_addresses": {
    requirement: "6.1-4",
    choice: "allow",
    alternatives: ["refuse"],
    reason:
      "The specification has no rule about private, loopback and link-local addresses. A host on allowed_domains is always allowed.",
  },
  "agent.webhook_setting_types": {
    requirement: "6.1-10",
    choice: "start-up refuses",
    reason: "The types of the keys are shown, but not the result of a value of another type.",
  },
  "agent.webhook_max_url_length": {
    requirement: "6.1-8",
    choice: 4096,
    reason: "A maximum exists, but its default is not shown.",
    setting: "webhooks.url.max_url_length",
  },
  "agent.webhook_env_prefix": {
    requirement: "6.1-2",
    choice: "LG_WEBHOOK_",
    reason: "The default ends in WEBHOOK_. Its start is not shown; this one was observed.",
    setting: "webhooks.env_prefix",
  },
  "agent.webhook_empty_variable": {
    requirement: "6.1-3",
    choice: "not missing",
    reason:
      "A variable that is missing blocks the start. Whether an empty one counts as missing is not shown.",
  },
  "agent.webhook_version_gate": {
    requirement: "6.1-10",
    choice: "start-up refuses",
    reason: "An older server would ignore settings on which users rely for security.",
  },
  "agent.webhook_disabled": {
    requirement: "6.1-9",
    choice: "accepted and not delivered",
    reason: "The reply to a request with a webhook while webhooks are off is not shown.",
  },
} as const satisfies Record<string, AssumptionRow>;
