/** `S`: shown, a violation is a failure. `A`: our choice where the specification is silent. `X`: beyond it. */
export type RequirementKind = "S" | "A" | "X";

/** One statement of the specification that a program can hold or break. */
export interface Requirement {
  readonly kind: RequirementKind;
  readonly text: string;
  /** What of it no case can ask a server about, and what holds it instead. */
  readonly elsewhere?: string;
  /** The test that covers the row where no case can ask a server; null while there is none. */
  readonly coveredBy?: string | null;
}

const shown = (text: string) => ({ kind: "S", text }) as const;
const chosen = (text: string) => ({ kind: "A", text }) as const;
const extension = (text: string) => ({ kind: "X", text }) as const;

/** The ledger: keyed by the section and a number, as comments, tables, cases and scenarios cite it. */
export const REQUIREMENTS = {
  "1-1": shown("There are two regions, each with a base address of its own, and one process has both."),
  "1-2": shown("Data stays in its region: the other one does not show it."),
  "1-3": chosen("A path that is not shown gets 404 or 501, never a made-up success."),
  "1-4": shown(
    "A thread keeps what all of its runs produced; a bound refuses or ends a run and says so, and drops nothing.",
  ),
  "1-5": chosen(
    "A configured key may belong to one region, and is an unknown key at the other; others are good in both.",
  ),

  "2.1-1": shown("A run has all nine fields, of the types shown."),
  "2.1-2": shown("A run has one of the six statuses."),
  "2.1-3": shown("A run has one of the four strategies for a busy thread."),
  "2.1-4": shown("The list narrows by five statuses; running is not one of them and is refused."),
  "2.2-1": shown("A created thread has the seven fields shown."),
  "2.2-2": chosen("Threads are busy, interrupted or in error beside idle."),
  "2.3-1": shown("An error of the agent server is a plain string."),

  "2.4-1": shown("A destination takes the fields shown, and asks for the required ones."),
  "2.4-2": shown("A destination has an id, never shows its credentials and keeps them encrypted."),
  "2.4-3": shown("A session token needs service 0.10.34 (application 0.10.91), wherever it comes from."),
  "2.4-4": shown(
    "Only a self-hosted deployment takes credentials from its environment, in the library's order, as far as that is configured.",
  ),
  "2.4-5": shown("Creating a destination writes a test file to its bucket."),
  "2.4-6": shown("The test file goes where deleting is allowed, and stays under /tmp elsewhere."),
  "2.4-7": shown("Backend and queue both need to put objects: what is denied to one of them fails its part."),
  "2.4-8": shown("Deleting objects is optional."),
  "2.4-9": shown("Getting objects is optional; with it sizes are verified, without it an export completes."),
  "2.4-10": shown("Aborting uploads is optional; without it a failed one stays behind."),
  "2.4-11": shown(
    "A GCS-style store works by its S3-compatible endpoint, and its three permissions count as put, delete and get.",
  ),
  "2.4-12": shown("endpoint_url is left out for AWS-style buckets."),
  "2.4-13": shown("include_bucket_in_prefix puts the bucket's name into the path, or does not."),

  "2.5-1": shown("An export takes the fields shown; times are ISO 8601 in UTC."),
  "2.5-2": shown("end_time belongs to one-off exports and to no scheduled one."),
  "2.5-3": shown("interval_hours is a whole number from 1 to 168."),
  "2.5-4": shown(
    "filter is an expression of and, eq and like that may name any field of the run; without it every row is exported.",
  ),
  "2.5-5": shown(
    "export_fields chooses columns; an unknown name is refused; version-gated; a schedule hands down what it was given.",
  ),
  "2.5-6": shown("format_version v2_beta has the enhanced column types and Hive folders."),
  "2.5-7": shown("An export has id and status; a spawned one names its source."),
  "2.5-8": shown("Scheduled exports need service 0.10.42 (application 0.10.109)."),
  "2.5-9": chosen("Without format_version the plainer format is written."),
  "2.5-10": chosen("A malformed filter is refused when the export is created."),
  "2.5-11": chosen("The folder of v2_beta has the segment as printed."),
  "2.5-12": chosen("compression chooses the codec; snappy unless said otherwise."),
  "2.6-1": shown("An export has one run for each UTC day of its window."),
  "2.6-2": shown(
    "An export run has identifier, status, creation time, rows, errors under retry_<n>, and progress; other names are open.",
  ),
  "2.7-1": shown(
    "A file has all 29 columns, typed by their groups; run_type and status are kept as they were sent.",
  ),
  "2.7-2": shown("export_fields takes the export-only names tenant_id and is_root."),
  "2.7-3": shown("Files without inputs and outputs are smaller."),
  "2.8-1": shown("Files are Parquet below the Hive path shown."),
  "2.8-2": chosen("Names of files, padding, files per partition, empty partitions."),

  "3.1-1": shown("Exports and their runs have one of six statuses."),
  "3.1-2": shown("PATCH with Cancelled ends whatever has not ended."),
  "3.1-3": shown("A cancelled export stays cancelled."),
  "3.1-4": shown("Cancelling a schedule leaves what it has spawned, and spawns no more."),
  "3.1-5": shown("A run that has used up its retries makes the export FAILED."),
  "3.1-6": shown("All runs done makes the export COMPLETED."),
  "3.1-7": shown("The workflow timeout makes the export TIMEDOUT for good."),
  "3.1-8": chosen("From CREATED to RUNNING; moves of runs; other PATCH bodies."),
  "3.1-9": chosen("Sibling runs end with their export."),
  "3.2-1": shown("A created thread is idle."),
  "3.2-2": chosen("Moves of agent runs and threads."),
  "3.3-1": shown("The first spawned export begins at start_time and lasts one interval."),
  "3.3-2": shown("Each next one begins where the one before ends."),
  "3.3-3": shown("A spawned export runs ten minutes after its end_time."),
  "3.3-4": shown("Every six hours: at six hours ten, twelve hours ten, and so on."),
  "3.3-5": shown("Rows that come in during those ten minutes are exported."),
  "3.3-6": chosen("A start_time in the past is made up for."),
  "3.3-7": chosen("A schedule's own status, and that it takes no place and has no timeout."),

  "4-1": shown("Bulk-export calls send JSON; what another content type gets is open."),
  "4.1-1": shown("Runs of a thread are listed by limit 10 and offset 0 unless told otherwise."),
  "4.1-2": shown("select narrows the fields to those named, of nine; all of them without it."),
  "4.1-3": shown("404 and 422 of the list have a string for a body."),
  "4.1-4": chosen("Order of the list, largest limit, spellings of select."),
  "4.2-1": shown("POST of a destination answers with an object that has an id."),
  "4.3-1": shown("POST of an export answers with an object that has an id."),
  "4.4-1": shown("GET of an export answers with its current status."),
  "4.5-1": shown("GET of an export's runs answers with its runs."),
  "4.6-1": shown("GET of the exports answers with all of them, statuses and times."),
  "4.7-1": shown("PATCH of an export stops it."),
  "4.8-1": shown("Seven operations take a webhook, on the paths listed."),
  "4.8-2": shown("Stream run takes assistant_id, input, stream_mode and webhook."),
  "4.8-3": shown("Assistants are searched and threads created as shown."),
  "4.8-4": chosen("Wait answers at the end of the run; crons start runs on time."),

  "5-1": shown(
    "X-API-Key identifies the caller, in any letter case; bulk-export calls carry it and X-Tenant-Id.",
  ),
  "5-2": shown("A user is x-user-id with the address; an anonymous caller is the address."),
  "5-3": chosen("Workspaces do not see each other's things."),
  "5-4": shown("A token in the webhook's URL arrives as it was given."),
  "5-5": chosen("The agent server can be asked without a key."),
  "5-6": chosen("Other calls without X-Tenant-Id mean the key's workspace."),
  "5-7": chosen("A call without a key, and a bulk-export call without X-Tenant-Id, is refused."),

  "6-1": shown(
    "The end of a run posts the Run once to its webhook, with its input and configuration in kwargs.",
  ),
  "6-2": chosen("Every final status is delivered."),
  "6-3": chosen("Retries, timeouts, default headers, and the reply to a refused URL."),
  "6.1-1": shown(
    "Static headers are on every delivery as they were given; one that cannot be set stops the start.",
  ),
  "6.1-2": shown("Header values embed variables with the prefix, and no others."),
  "6.1-3": shown("A missing variable keeps the server from starting."),
  "6.1-4": shown("Only allowed domains are called, whatever their address; *.<domain> admits subdomains."),
  "6.1-5": shown("require_https refuses http."),
  "6.1-6": shown(
    "Only allowed ports are called, by default 443 for https and 80 for http; a bare URL counts as its scheme's.",
  ),
  "6.1-7": shown("disable_loopback refuses relative URLs, which are internal calls otherwise."),
  "6.1-8": shown("A URL above the largest length is refused."),
  "6.1-9": shown("disable_webhooks delivers nothing (agent server 0.2.78)."),
  "6.1-10": shown("The webhook settings need agent server 0.5.36."),
  "6.1-11": chosen(
    "Without a webhooks.url block none of its rules applies and any port may be called; the check and the ledger say so.",
  ),

  "7-1": chosen("Statuses and bodies of errors of the bulk-export calls."),
  "7.1-1": shown("The list of runs answers 404 and 422 with a string."),
  "7.2-1": shown("Four named errors of a destination, each from its cause."),
  "7.2-2": chosen("Which name where causes overlap."),
  "7.3-1": shown("An interrupted run goes on from its checkpoint with the retries left."),
  "7.3-2": shown("A run over its time is tried again."),
  "7.3-3": shown("An export over its time is not tried again."),
  "7.3-4": shown("Errors of the object store, every 4xx among them, are not tried again."),
  "7.3-5": shown("A deleted destination is not tried again."),
  "7.3-6": shown("Processing errors are tried again up to the maximum."),
  "7.3-7": shown("Known errors stand under retry_<n> of the run."),

  "8.2-1": shown("45 runs of an export work at once."),
  "8.2-2": shown(
    "15 exports of a workspace work at once and the next one waits; other workspaces are not affected.",
  ),
  "8.2-3": shown("A run may take four hours."),
  "8.2-4": shown("An export may take 72 hours."),
  "8.2-5": chosen("Where two numbers are given, the larger; the 72 hours begin with RUNNING."),
  "8.3-1": shown("20 retries, each 30 seconds after the failure."),
  "8.3-2": shown("A resumed run never writes a row twice."),
  "8.5-1": shown("Each row of the table refuses the request over its count."),
  "8.5-2": shown("The regions differ where two values are given."),
  "8.5-3": shown("Keys, users and addresses are counted apart."),
  "8.5-4": chosen("Containing means that the path has the text anywhere; of both headers the key counts."),
  "8.5-5": shown("A row without a method counts every method, one with a method that one alone."),
  "8.5-6": chosen("DELETE belongs to */trigger as well."),
  "8.5-7": shown("Each row has a category, and explanations show it."),

  "9-1": shown("Bulk-export paths begin with /api/v1; the agent description is 0.1.0."),
  "9-2": shown("Features follow the versions that brought them."),

  "X-1": extension("Trace rows come in as clients send them and can be read back."),
  "X-2": extension("Virtual clock, faults, worlds, snapshots, journal, rate-limit control."),
  "X-3": {
    ...extension("Contract suites, replay, verification."),
    elsewhere: "The suites themselves are held by contract selftest, and the playing of scenarios by replay.",
  },
  "X-4": {
    ...extension("Library, test runner, request interception, container."),
    elsewhere: "Ways in are held by tests that use them (test/entries).",
  },
  "X-5": {
    ...extension("A console page for people, which only a browser can test."),
    coveredBy: "test/console/time.test.ts",
  },
  "X-6": {
    ...extension("Past instants, comparison of worlds, sweeps, readings, shrinking, capsules."),
    coveredBy: "test/story/past-forks.test.ts",
  },
} as const satisfies Record<string, Requirement>;

export type RequirementId = keyof typeof REQUIREMENTS;

export const REQUIREMENT_IDS = Object.keys(REQUIREMENTS) as readonly RequirementId[];

/** The section of the specification that a row belongs to. */
export function sectionOf(id: RequirementId): string {
  return id.slice(0, id.lastIndexOf("-"));
}
