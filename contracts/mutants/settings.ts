import { lies, type Mutant } from "./mutant.ts";

const limits = (lie: string, limits: Record<string, unknown>) => ({ lie, settings: { limits } });
const timings = (lie: string, timings: Record<string, unknown>) => ({ lie, settings: { timings } });
const assumed = (lie: string, id: string, value: unknown) => ({
  lie,
  settings: { assumptions: { [id]: value } },
});
const newest = { service: "0.13.0", application: "0.13.0", agent_server: "0.6.30" };
const oldest = { service: "0.10.33", application: "0.10.90", agent_server: "0.6.30" };
const url = (lie: string, url: Record<string, unknown>) => ({ lie, settings: { webhooks: { url } } });

/** Numbers, gates and choices that a setting can turn wrong. */
export const SETTING_MUTANTS: readonly Mutant[] = [
  ...lies("2.4-3", {
    ungated: { lie: "every version takes a session token", settings: { versions: newest } },
    late: { lie: "no version takes a session token", settings: { versions: oldest } },
  }),
  ...lies("2.4-4", {
    "hosted-only": {
      lie: "a self-hosted deployment asks for credentials too",
      settings: { deployment: "hosted" },
    },
    "always-self-hosted": {
      lie: "a hosted deployment looks into its environment",
      settings: { deployment: "self-hosted" },
    },
  }),
  ...lies("2.4-6", {
    "under-prefix": {
      ...assumed("the test file lies under the prefix", "destination.test_file_key", "<prefix>/tmp/"),
      mild: true,
    },
  }),
  ...lies("2.4-13", {
    "bucket-by-default": assumed(
      "the bucket leads the path by default",
      "destination.include_bucket_in_prefix_default",
      true,
    ),
  }),
  ...lies("2.5-5", { ungated: { lie: "every version takes export_fields", settings: { versions: newest } } }),
  ...lies("2.5-8", {
    ungated: { lie: "every version takes schedules", settings: { versions: newest } },
    late: {
      lie: "no version takes schedules",
      settings: { versions: { service: "0.10.41", application: "0.10.108" } },
    },
  }),
  ...lies("9-2", { ungated: { lie: "no feature depends on a version", settings: { versions: newest } } }),
  ...lies("2.5-9", {
    "v2-by-default": assumed("the default is v2_beta", "export.default_format_version", "v2_beta"),
  }),
  ...lies("2.5-11", {
    "resource-runs": assumed("the folder is resource=runs", "export.v2_beta_folder", "resource=runs"),
  }),
  ...lies("2.5-12", {
    zstandard: assumed("the default codec is zstandard", "export.default_compression", "zstandard"),
  }),
  ...lies("2.8-2", {
    unpadded: assumed("months and days are not padded", "export.partition_padding", "unpadded"),
  }),
  ...lies("3.1-1", {
    "title-case": { ...assumed("statuses are in title case", "export.status_casing", "title"), mild: true },
  }),
  ...lies("3.1-8", {
    "five-seconds": timings("an export is CREATED for five seconds", { one_off_start_delay: "PT5S" }),
  }),
  ...lies("3.3-3", {
    "nine-minutes": timings("a spawned export runs nine minutes after its end", { spawn_grace: "PT9M" }),
    "eleven-minutes": timings("a spawned export runs eleven minutes after its end", { spawn_grace: "PT11M" }),
    "at-once": timings("a spawned export runs at its end", { spawn_grace: "PT0S" }),
  }),
  ...lies("3.3-4", {
    "half-an-hour": timings("the runs of the example are twenty minutes late", { spawn_grace: "PT30M" }),
  }),
  ...lies("6-3", { "one-attempt": limits("a delivery is tried once", { webhook_attempts: 1 }) }),
  ...lies("6.1-4", {
    "any-subdomain": url("a domain admits its subdomains", {
      allowed_domains: ["example.com", "*.example.com", "*.example.org"],
    }),
    "no-star": url("a star admits nothing", { allowed_domains: ["example.com", "example.org"] }),
  }),
  ...lies("6.1-5", { ignored: url("require_https is ignored", { require_https: false }) }),
  ...lies("6.1-6", {
    "one-more": url("another port is admitted", { allowed_ports: [443, 8443, 9443] }),
    "default-80": url("a bare http URL is admitted", { allowed_ports: [443, 8443, 80] }),
    "only-443": url("an allowed port is not admitted", { allowed_ports: [443] }),
  }),
  ...lies("6.1-7", { ignored: url("disable_loopback is ignored", { disable_loopback: false }) }),
  ...lies("6.1-8", {
    "one-more": url("a URL may be a character longer", { max_url_length: 65 }),
    "one-less": url("a URL may be a character less long", { max_url_length: 63 }),
  }),
  ...lies("6.1-9", {
    ignored: { lie: "disable_webhooks is ignored", settings: { http: { disable_webhooks: false } } },
  }),
  ...lies("6.1-10", { ungated: { lie: "every version takes the settings", settings: { versions: newest } } }),
  ...lies("7.3-1", { "no-retry": limits("an interrupted run fails", { max_retries: 0 }) }),
  ...lies("7.3-2", { "no-retry": limits("a run over its time fails", { max_retries: 0 }) }),
  ...lies("7.3-6", {
    "no-retry": limits("a processing error fails the run", { max_retries: 0 }),
    "one-retry": limits("a processing error is tried once more", { max_retries: 1 }),
  }),
  ...lies("8.2-1", {
    "44-runs": limits("44 runs work at once", { max_concurrent_runs_per_export: 44 }),
    "46-runs": limits("46 runs work at once", { max_concurrent_runs_per_export: 46 }),
    "5-runs": limits("5 runs work at once", { max_concurrent_runs_per_export: 5 }),
  }),
  ...lies("8.2-2", {
    "14-exports": limits("14 exports work at once", { max_concurrent_exports_per_workspace: 14 }),
    "16-exports": limits("16 exports work at once", { max_concurrent_exports_per_workspace: 16 }),
    "3-exports": limits("3 exports work at once", { max_concurrent_exports_per_workspace: 3 }),
  }),
  ...lies("8.2-3", {
    "a-minute-more": limits("a run may take a minute more", { run_timeout: "PT4H1M" }),
    "an-hour-less": limits("a run may take three hours", { run_timeout: "PT3H" }),
  }),
  ...lies("8.2-4", {
    "71-hours": limits("an export may take 71 hours", { workflow_timeout: "PT71H" }),
    "73-hours": limits("an export may take 73 hours", { workflow_timeout: "PT73H" }),
    "48-hours": limits("an export may take 48 hours", { workflow_timeout: "PT48H" }),
  }),
  ...lies("8.2-5", {
    "settings-ignored": limits("the limits cannot be set", { max_concurrent_exports_per_workspace: 15 }),
  }),
  ...lies("8.3-1", {
    "31-seconds": limits("a retry comes after 31 seconds", { retry_delay: "PT31S" }),
    "29-seconds": limits("a retry comes after 29 seconds", { retry_delay: "PT29S" }),
    "19-retries": limits("there are 19 retries", { max_retries: 19 }),
    "21-retries": limits("there are 21 retries", { max_retries: 21 }),
  }),
  ...lies("8.5-1", { off: { lie: "nothing is limited", settings: { rateLimits: "off" } } }),
];
