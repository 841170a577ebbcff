/** `S`: shown, a violation is a failure. `A`: our choice where the specification is silent. `X`: beyond it. */
export type RequirementKind = "S" | "A" | "X";

/** One statement of the specification that a program can hold or break. */
export interface Requirement {
  readonly kind: RequirementKind;
  readonly text: string;
  /** The part that no case can test on a server, and what tests it instead. */
  readonly elsewhere?: string;
  /** The test that covers the row if no case can test it on a server; null while there is none. */
  readonly coveredBy?: string | null;
}

const fact = (text: string) => ({ kind: "S", text }) as const;
const assumption = (text: string) => ({ kind: "A", text }) as const;
const extension = (text: string) => ({ kind: "X", text }) as const;

/** The ledger: keyed by the section and a number, as comments, tables, cases and scenarios cite it. */
export const REQUIREMENTS = {
  "1-1": fact("There are two regions, each with its own base address. One process serves both."),
  "1-2": fact("Data stays in its region and is not visible in the other one."),
  "1-3": assumption("A path that the specification does not show gets 404 or 501, never a success."),
  "1-4": fact(
    "A thread stores everything that its runs produced. A limit refuses or ends a run with an error, and drops nothing.",
  ),
  "1-5": assumption(
    "A configured key may belong to one region and is unknown in the other. Other keys are valid in both.",
  ),

  "2.1-1": fact("A run has all nine fields with the types shown."),
  "2.1-2": fact("A run has one of the six statuses."),
  "2.1-3": fact("A run has one of the four strategies for a busy thread."),
  "2.1-4": fact("The list can be filtered by five statuses. running is not one of them and is refused."),
  "2.2-1": fact("A created thread has the seven fields shown."),
  "2.2-2": assumption("Threads have the statuses busy, interrupted and error, in addition to idle."),
  "2.3-1": fact("An error of the agent server is a plain string."),

  "2.4-1": fact("A destination accepts the fields shown and needs the required ones."),
  "2.4-2": fact("A destination has an id, never returns its credentials and stores them encrypted."),
  "2.4-3": fact("A session token needs service 0.10.34 (application 0.10.91), whatever its source."),
  "2.4-4": fact(
    "Only a self-hosted deployment uses credentials of its environment, in the order of the AWS SDK, if they are configured.",
  ),
  "2.4-5": fact("Creating a destination writes a test file to its bucket."),
  "2.4-6": fact("The test file is deleted if deleting is allowed; otherwise it stays under /tmp."),
  "2.4-7": fact("Backend and queue both need to put objects. If one of them may not, its part fails."),
  "2.4-8": fact("Deleting objects is optional."),
  "2.4-9": fact(
    "Getting objects is optional. With it sizes are verified; without it an export still completes.",
  ),
  "2.4-10": fact("Aborting uploads is optional. Without it a failed upload is orphaned."),
  "2.4-11": fact(
    "A GCS-style store works through its S3-compatible endpoint. Its three permissions correspond to put, delete and get.",
  ),
  "2.4-12": fact("endpoint_url is omitted for AWS-style buckets."),
  "2.4-13": fact("include_bucket_in_prefix decides whether the path contains the bucket's name."),

  "2.5-1": fact("An export accepts the fields shown. Times are ISO 8601 in UTC."),
  "2.5-2": fact("end_time is for one-off exports only."),
  "2.5-3": fact("interval_hours is a whole number from 1 to 168."),
  "2.5-4": fact(
    "filter is an expression of and, eq and like that may name any field of the run. Without it every row is exported.",
  ),
  "2.5-5": fact(
    "export_fields selects columns. An unknown name is refused. It is version-gated, and exports inherit it from their schedule.",
  ),
  "2.5-6": fact("format_version v2_beta has the enhanced column types and Hive folders."),
  "2.5-7": fact("An export has id and status. A spawned one names its source."),
  "2.5-8": fact("Scheduled exports need service 0.10.42 (application 0.10.109)."),
  "2.5-9": assumption("Without format_version the simpler format is written."),
  "2.5-10": assumption("A malformed filter is refused when the export is created."),
  "2.5-11": assumption("The folder of v2_beta has the segment as the specification prints it."),
  "2.5-12": assumption("compression selects the codec; the default is snappy."),
  "2.6-1": fact("An export has one run for each UTC day of its window."),
  "2.6-2": fact(
    "An export run has identifier, status, creation time, rows, errors under retry_<n>, and progress; other names are open.",
  ),
  "2.7-1": fact(
    "A file has all columns with the types of their groups. run_type and status are exported as sent.",
  ),
  "2.7-2": fact("export_fields accepts the export-only names tenant_id and is_root."),
  "2.7-3": fact("Files without inputs and outputs are smaller."),
  "2.8-1": fact("Files are Parquet below the Hive path shown."),
  "2.8-2": assumption("Names of files, padding, files per partition, empty partitions."),

  "3.1-1": fact("Exports and their runs have one of six statuses."),
  "3.1-2": fact("PATCH with Cancelled ends an export that has not ended."),
  "3.1-3": fact("A cancelled export stays cancelled."),
  "3.1-4": fact("Cancelling a schedule stops spawning and does not affect exports that it has spawned."),
  "3.1-5": fact("If a run has used up its retries, the export is FAILED."),
  "3.1-6": fact("If all runs are completed, the export is COMPLETED."),
  "3.1-7": fact("After the workflow timeout the export is TIMEDOUT, which is final."),
  "3.1-8": assumption("The move from CREATED to RUNNING, the moves of runs, other PATCH bodies."),
  "3.1-9": assumption("Sibling runs end with their export."),
  "3.2-1": fact("A created thread is idle."),
  "3.2-2": assumption("Moves of agent runs and threads."),
  "3.3-1": fact("The window of the first spawned export starts at start_time and lasts one interval."),
  "3.3-2": fact("Each further window starts where the previous one ends."),
  "3.3-3": fact("A spawned export runs ten minutes after its end_time."),
  "3.3-4": fact("With an interval of six hours, exports run at 6:10, 12:10 and so on."),
  "3.3-5": fact("Rows that arrive during those ten minutes are exported."),
  "3.3-6": assumption("For a start_time in the past, the missed windows are exported."),
  "3.3-7": assumption("The status of a schedule; it uses no capacity and has no timeout."),

  "4-1": fact("Bulk-export calls send JSON. The reply to another content type is not specified."),
  "4.1-1": fact("The list of a thread's runs has limit 10 and offset 0 by default."),
  "4.1-2": fact("select limits the nine fields to those named. Without it all are returned."),
  "4.1-3": fact("The body of a 404 or 422 of the list is a string."),
  "4.1-4": assumption("Order of the list, largest limit, spellings of select."),
  "4.2-1": fact("POST of a destination answers with an object that has an id."),
  "4.3-1": fact("POST of an export answers with an object that has an id."),
  "4.4-1": fact("GET of an export answers with its current status."),
  "4.5-1": fact("GET of an export's runs answers with its runs."),
  "4.6-1": fact("GET of the exports answers with all of them, statuses and times."),
  "4.7-1": fact("PATCH of an export cancels it."),
  "4.8-1": fact("Seven operations accept a webhook, on the paths listed."),
  "4.8-2": fact("Stream run accepts assistant_id, input, stream_mode and webhook."),
  "4.8-3": fact("Searching for assistants and creating threads work as shown."),
  "4.8-4": assumption("Wait answers when the run ends. Crons start runs when they are due."),

  "5-1": fact(
    "X-API-Key identifies the caller, in any letter case. Bulk-export calls need it and X-Tenant-Id.",
  ),
  "5-2": fact("A user is identified by x-user-id and the address, an anonymous caller by the address."),
  "5-3": assumption("Workspaces do not see each other's data."),
  "5-4": fact("A token in the webhook's URL is delivered unchanged."),
  "5-5": assumption("The agent server accepts requests without a key."),
  "5-6": assumption("Other calls without X-Tenant-Id use the key's workspace."),
  "5-7": assumption("A call without a key, and a bulk-export call without X-Tenant-Id, is refused."),

  "6-1": fact(
    "When a run ends, it is posted once to its webhook, with its input and configuration in kwargs.",
  ),
  "6-2": assumption("Every final status is delivered."),
  "6-3": assumption("Retries, timeouts, default headers, and the reply to a refused URL."),
  "6.1-1": fact(
    "Static headers are on every delivery, unchanged. A header that cannot be set prevents the start.",
  ),
  "6.1-2": fact("Header values embed variables with the prefix, and no others."),
  "6.1-3": fact("A missing variable prevents the start."),
  "6.1-4": fact("Only allowed domains are called, whatever their address. *.<domain> allows subdomains."),
  "6.1-5": fact("require_https refuses http."),
  "6.1-6": fact(
    "Only allowed ports are called, by default 443 for https and 80 for http. A URL without a port uses that of its scheme.",
  ),
  "6.1-7": fact("disable_loopback refuses relative URLs. Without it they are internal calls."),
  "6.1-8": fact("A URL that exceeds the maximum length is refused."),
  "6.1-9": fact("disable_webhooks delivers nothing (agent server 0.2.78)."),
  "6.1-10": fact("The webhook settings need agent server 0.5.36."),
  "6.1-11": assumption(
    "The default ports hold without any configuration. webhooks.url.test_receivers, an addition of ours, allows local hosts any port; deliveries that need it are marked.",
  ),

  "7-1": assumption("Statuses and bodies of errors of the bulk-export calls."),
  "7.1-1": fact("The list of runs answers 404 and 422 with a string."),
  "7.2-1": fact("A destination has four named errors, each with its cause."),
  "7.2-2": assumption("The error name if causes overlap."),
  "7.3-1": fact("An interrupted run resumes from its checkpoint with the remaining retries."),
  "7.3-2": fact("A run that exceeds its time limit is retried."),
  "7.3-3": fact("An export that exceeds its time limit is not retried."),
  "7.3-4": fact("Errors of the object store, including every 4xx, are not retried."),
  "7.3-5": fact("A deleted destination is not retried."),
  "7.3-6": fact("Processing errors are retried up to the maximum."),
  "7.3-7": fact("Known errors are listed under retry_<n> of the run."),

  "8.2-1": fact("At most 45 runs of an export work at the same time."),
  "8.2-2": fact(
    "At most 15 exports of a workspace work at the same time, and further ones wait. Other workspaces are not affected.",
  ),
  "8.2-3": fact("A run may take four hours."),
  "8.2-4": fact("An export may take 72 hours."),
  "8.2-5": assumption(
    "If the specification has two numbers, the larger one applies. The 72 hours start with RUNNING.",
  ),
  "8.3-1": fact("A run has 20 retries, each 30 seconds after the failure."),
  "8.3-2": fact("A resumed run never writes a row twice."),
  "8.5-1": fact("Each row of the table refuses requests above its count."),
  "8.5-2": fact("The regions differ if two values are given."),
  "8.5-3": fact("Keys, users and addresses are counted separately."),
  "8.5-4": fact('"Containing" means that the path contains the text anywhere, not only at its start.'),
  "8.5-5": fact("A row without a method counts every method. A row with a method counts only this one."),
  "8.5-6": assumption("DELETE also applies to */trigger."),
  "8.5-7": fact("Each row has a category, which explanations show."),

  "9-1": fact("Bulk-export paths start with /api/v1. The version of the agent description is 0.1.0."),
  "9-2": fact("A feature exists from its first version on."),

  "X-1": extension("Trace rows are ingested as clients send them and can be read back."),
  "X-2": extension("Virtual clock, faults, worlds, snapshots, journal, rate-limit control."),
  "X-3": {
    ...extension("Contract suites, replay, verification."),
    elsewhere: "test/mistakes tests the suites, and replay tests scenarios.",
  },
  "X-4": {
    ...extension("Library, test runner, request interception, container."),
    elsewhere: "Tests in test/entries use them.",
  },
  "X-5": {
    ...extension("A console page, which only a browser can test."),
    coveredBy: "test/full/console/time.test.ts",
  },
  "X-6": {
    ...extension("History, comparison of worlds, sweeps, variations, shrinking, capsules."),
    coveredBy: "test/full/story/past-forks.test.ts",
  },
} as const satisfies Record<string, Requirement>;

export type RequirementId = keyof typeof REQUIREMENTS;

export const REQUIREMENT_IDS = Object.keys(REQUIREMENTS) as readonly RequirementId[];

/** The section of the specification that a row belongs to. */
export function sectionOf(id: RequirementId): string {
  return id.slice(0, id.lastIndexOf("-"));
}
