import { answerInstead, type Mutant, mutantsOf } from "../engine/mutant.ts";
import { DEFAULT_VERSIONS } from "../spec/versions.ts";

const mutateLimits = (wrongBehaviour: string, limits: Record<string, unknown>) => ({
  wrongBehaviour,
  settings: { limits },
});
const mutateTimings = (wrongBehaviour: string, timings: Record<string, unknown>) => ({
  wrongBehaviour,
  settings: { timings },
});
const mutateAssumption = (wrongBehaviour: string, id: string, value: unknown) => ({
  wrongBehaviour,
  settings: { assumptions: { [id]: value } },
});
const oldest = { ...DEFAULT_VERSIONS, service: "0.10.33", application: "0.10.90" };
const mutateUrlRules = (wrongBehaviour: string, url: Record<string, unknown>) => ({
  wrongBehaviour,
  settings: { webhooks: { url } },
});

/** Numbers, gates and choices that a setting can turn wrong. */
export const SETTING_MUTANTS: readonly Mutant[] = [
  ...mutantsOf("2.4-3", {
    ungated: {
      wrongBehaviour: "every version accepts a session token",
      settings: { versions: DEFAULT_VERSIONS },
    },
    late: { wrongBehaviour: "no version accepts a session token", settings: { versions: oldest } },
    "environment-ungated": {
      wrongBehaviour: "every version uses a session token of its environment",
      send: answerInstead(
        ({ method, path, body = "" }) =>
          method === "POST" && path.endsWith("/destinations") && !body.includes('"credentials"'),
        200,
        { id: "00000000-0000-4000-8000-0000000000ee" },
      ),
    },
  }),
  ...mutantsOf("2.4-4", {
    "hosted-only": {
      wrongBehaviour: "a self-hosted deployment also requires credentials",
      settings: { deployment: "hosted" },
    },
    "always-self-hosted": {
      wrongBehaviour: "a hosted deployment uses credentials of its environment",
      settings: { deployment: "self-hosted" },
    },
  }),
  ...mutantsOf("2.4-6", {
    "under-prefix": {
      ...mutateAssumption("the test file is under the prefix", "destination.test_file_key", "<prefix>/tmp/"),
      mild: true,
    },
  }),
  ...mutantsOf("2.4-13", {
    "bucket-by-default": mutateAssumption(
      "paths begin with the bucket by default",
      "destination.include_bucket_in_prefix_default",
      true,
    ),
  }),
  ...mutantsOf("2.5-5", {
    ungated: {
      wrongBehaviour: "every version accepts export_fields",
      settings: { versions: DEFAULT_VERSIONS },
    },
  }),
  ...mutantsOf("2.5-8", {
    ungated: { wrongBehaviour: "every version accepts schedules", settings: { versions: DEFAULT_VERSIONS } },
    late: {
      wrongBehaviour: "no version accepts schedules",
      settings: { versions: { service: "0.10.41", application: "0.10.108" } },
    },
  }),
  ...mutantsOf("9-2", {
    ungated: { wrongBehaviour: "no feature depends on a version", settings: { versions: DEFAULT_VERSIONS } },
  }),
  ...mutantsOf("2.5-4", {
    "columns-refused": mutateAssumption(
      "filters refuse token counts",
      "export.filter_fields",
      "some refused",
    ),
  }),
  ...mutantsOf("2.5-9", {
    "v2-by-default": mutateAssumption(
      "the default format is v2_beta",
      "export.default_format_version",
      "v2_beta",
    ),
  }),
  ...mutantsOf("2.5-11", {
    "resource-runs": mutateAssumption(
      "the folder of v2_beta is resource=runs",
      "export.v2_beta_folder",
      "resource=runs",
    ),
  }),
  ...mutantsOf("2.5-12", {
    zstandard: mutateAssumption("the default codec is zstandard", "export.default_compression", "zstandard"),
  }),
  ...mutantsOf("2.8-2", {
    unpadded: mutateAssumption(
      "months and days have one digit where possible",
      "export.partition_padding",
      "unpadded",
    ),
  }),
  ...mutantsOf("3.1-1", {
    "title-case": mutateAssumption("statuses are in title case", "export.status_casing", "title"),
  }),
  ...mutantsOf("3.1-8", {
    "five-seconds": mutateTimings("an export is CREATED for five seconds", { one_off_start_delay: "PT5S" }),
  }),
  ...mutantsOf("3.3-3", {
    "nine-minutes": mutateTimings("a spawned export runs nine minutes after the end of its window", {
      spawn_grace: "PT9M",
    }),
    "eleven-minutes": mutateTimings("a spawned export runs eleven minutes after the end of its window", {
      spawn_grace: "PT11M",
    }),
    "at-once": mutateTimings("a spawned export runs at the end of its window", { spawn_grace: "PT0S" }),
  }),
  ...mutantsOf("3.3-4", {
    "half-an-hour": mutateTimings("a spawned export runs half an hour after the end of its window", {
      spawn_grace: "PT30M",
    }),
  }),
  ...mutantsOf("6-3", { "one-attempt": mutateLimits("a delivery is not retried", { webhook_attempts: 1 }) }),
  ...mutantsOf("6.1-4", {
    "any-subdomain": mutateUrlRules("an allowed domain also allows its subdomains", {
      allowed_domains: ["example.com", "*.example.com", "*.example.org"],
    }),
    "no-local": {
      wrongBehaviour: "local addresses are refused although they are allowed",
      send: answerInstead(({ body }) => /"webhook":"http:..(?:localhost|127|10)/.test(body ?? ""), 422, "no"),
    },
    "no-star": mutateUrlRules("a star in allowed_domains allows nothing", {
      allowed_domains: ["example.com", "example.org"],
    }),
  }),
  ...mutantsOf("6.1-5", { ignored: mutateUrlRules("require_https is ignored", { require_https: false }) }),
  ...mutantsOf("6.1-6", {
    "one-more": mutateUrlRules("another port is allowed", { allowed_ports: [443, 8443, 9443] }),
    "default-80": mutateUrlRules("an http URL without a port is allowed", { allowed_ports: [443, 8443, 80] }),
    "either-scheme": mutateUrlRules("ports 443 and 80 are allowed for both schemes", {
      allowed_ports: [443, 80],
    }),
    "any-by-default": mutateUrlRules("every port is allowed by default", {
      allowed_ports: [443, 80, 8443, 8080],
    }),
    "only-443": mutateUrlRules("an allowed port is refused", { allowed_ports: [443] }),
  }),
  ...mutantsOf("6.1-7", {
    ignored: mutateUrlRules("disable_loopback is ignored", { disable_loopback: false }),
  }),
  ...mutantsOf("6.1-8", {
    "one-more": mutateUrlRules("a URL can be one character too long", { max_url_length: 65 }),
    "one-less": mutateUrlRules("the maximum URL length is refused", { max_url_length: 63 }),
  }),
  ...mutantsOf("6.1-9", {
    ignored: {
      wrongBehaviour: "disable_webhooks is ignored",
      settings: { http: { disable_webhooks: false } },
    },
  }),
  ...mutantsOf("6.1-10", {
    ungated: {
      wrongBehaviour: "every version accepts the webhook settings",
      settings: { versions: DEFAULT_VERSIONS },
    },
  }),
  ...mutantsOf("6.1-11", {
    "no-test-receivers": {
      wrongBehaviour: "receivers on this machine need the default ports, too",
      settings: { webhooks: { url: { test_receivers: false } } },
      mild: true,
    },
  }),
  ...mutantsOf("7.3-4", {
    "no-outages": {
      ...mutateAssumption("an outage of the store fails the run", "export.store_outage", "storage error"),
      mild: true,
    },
  }),
  ...mutantsOf("7.3-1", { "no-retry": mutateLimits("an interrupted run fails", { max_retries: 0 }) }),
  ...mutantsOf("7.3-2", {
    "no-retry": mutateLimits("a run that exceeds its timeout fails", { max_retries: 0 }),
  }),
  ...mutantsOf("7.3-6", {
    "no-retry": mutateLimits("a processing error fails the run", { max_retries: 0 }),
    "one-retry": mutateLimits("a processing error is retried only once", { max_retries: 1 }),
  }),
  ...mutantsOf("8.2-1", {
    "44-runs": mutateLimits("44 runs work at the same time", { max_concurrent_runs_per_export: 44 }),
    "46-runs": mutateLimits("46 runs work at the same time", { max_concurrent_runs_per_export: 46 }),
    "5-runs": mutateLimits("5 runs work at the same time", { max_concurrent_runs_per_export: 5 }),
  }),
  ...mutantsOf("8.2-2", {
    "14-exports": mutateLimits("14 exports work at the same time", {
      max_concurrent_exports_per_workspace: 14,
    }),
    "16-exports": mutateLimits("16 exports work at the same time", {
      max_concurrent_exports_per_workspace: 16,
    }),
    "3-exports": mutateLimits("3 exports work at the same time", { max_concurrent_exports_per_workspace: 3 }),
  }),
  ...mutantsOf("8.2-3", {
    "a-minute-more": mutateLimits("a run can take one minute more", { run_timeout: "PT4H1M" }),
    "an-hour-less": mutateLimits("a run can take three hours", { run_timeout: "PT3H" }),
  }),
  ...mutantsOf("8.2-4", {
    "71-hours": mutateLimits("an export can take 71 hours", { workflow_timeout: "PT71H" }),
    "73-hours": mutateLimits("an export can take 73 hours", { workflow_timeout: "PT73H" }),
    "48-hours": mutateLimits("an export can take 48 hours", { workflow_timeout: "PT48H" }),
  }),
  ...mutantsOf("8.2-5", {
    "settings-ignored": mutateLimits("the limits cannot be set", {
      max_concurrent_exports_per_workspace: 15,
    }),
  }),
  ...mutantsOf("8.3-1", {
    "31-seconds": mutateLimits("a retry begins after 31 seconds", { retry_delay: "PT31S" }),
    "29-seconds": mutateLimits("a retry begins after 29 seconds", { retry_delay: "PT29S" }),
    "19-retries": mutateLimits("there are 19 retries", { max_retries: 19 }),
    "21-retries": mutateLimits("there are 21 retries", { max_retries: 21 }),
  }),
  ...mutantsOf("8.5-6", {
    "every-method": mutateAssumption(
      "every method on a trigger path counts as a deletion",
      "rate_limit.trigger_methods",
      "every method",
    ),
  }),
  ...mutantsOf("8.5-1", {
    off: { wrongBehaviour: "no request is rate-limited", settings: { rateLimits: "off" } },
  }),
];
