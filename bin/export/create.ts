import { FILE_COLUMNS } from "../../contracts/spec/bulk-exports/columns.ts";
import { INTERVAL_HOURS } from "../../contracts/spec/limits.ts";
import type { Verification } from "../../emulator/subjects/control-operation.ts";
import { SEEDED_BUCKET, SEEDED_KEY } from "../../emulator/subjects/object-storage/seed.ts";
import { clientCommand, type Work } from "../client-command.ts";
import { CALLER_FLAGS, type Invocation, UsageError } from "../command.ts";
import { advanceClock, verifyExport } from "../long-work.ts";
import { projectNamed } from "../projects.ts";
import type { RunningWorld } from "../running.ts";
import { aligned, verdictLines } from "../terminal.ts";
import {
  FILTER_HELP,
  readColumn,
  readDurationMs,
  readOptionalId,
  textOf,
  timeOf,
  windowFlags,
  wordOf,
} from "../values.ts";
import { type BulkExport, type ExportRun, exportOf, runCells, runsOf, windowText } from "./resources.ts";

const HOUR_MS = 3_600_000;
const DESTINATIONS = "/api/v1/bulk-exports/destinations";

interface Created {
  readonly export: BulkExport;
  readonly destination_id: string;
  /** Only with --wait. */
  readonly runs?: readonly ExportRun[];
  readonly verdict?: Verification;
}

/** `export create`: orders an export as a client does; with --wait moves the clock to its end and reads its files back. */
export const createExport = clientCommand<Created>({
  summary:
    "create an export of a project; with --wait, move the clock until it has ended and check its files",
  flags: {
    project: { value: "<name>", help: "tracing project to export (required)" },
    ...windowFlags("start of the export window (required)", "end of the export window, exclusive"),
    every: {
      value: "<duration>",
      help: "export on a schedule, such as every 6h (either this or --to is required)",
    },
    filter: { value: "<expression>", help: `only matching rows, ${FILTER_HELP}` },
    fields: { value: "<names>", help: "columns to export, separated by commas (default: all)" },
    "format-version": { value: "v1|v2_beta", help: "format of the files (default v1)" },
    destination: {
      value: "<id>",
      help: "destination (default: the only one; if there is none, a new one for the bucket `traces`)",
    },
    wait: { help: "move the clock until the export has ended, then check its files; not with --every" },
    ...CALLER_FLAGS,
  },
  prepare(invocation) {
    const project = textOf(invocation, "project");
    if (project === undefined) throw new UsageError("--project is missing; name a tracing project");
    const order = orderOf(invocation);
    const destination = readOptionalId(
      textOf(invocation, "destination"),
      "--destination",
      `GET ${DESTINATIONS}`,
    );
    const isAwaited = invocation.flags.wait === true;
    if (isAwaited && order.interval_hours !== undefined)
      throw new UsageError("--wait: a schedule has no end; move the clock with `emulator clock advance`");
    return async (world, work) => {
      const { id: session_id } = await projectNamed(world, project);
      if (order.filter !== undefined) await checkFilter(world, order.filter);
      const destination_id = destination ?? (await usualDestination(world));
      const body = { bulk_export_destination_id: destination_id, session_id, ...order };
      const bulkExport = await world.api<BulkExport>("POST", "/api/v1/bulk-exports", body);
      const answer = { export: bulkExport, destination_id };
      return isAwaited ? { ...answer, ...(await waitForEnd(world, work, bulkExport.id)) } : answer;
    };
  },
  lines: ({ export: bulkExport, destination_id, runs = [], verdict }) => [
    `export ${bulkExport.id}: ${bulkExport.status}, ${windowText(bulkExport)}, to the destination ${destination_id}`,
    ...aligned(runs.map(runCells), "  "),
    ...(verdict === undefined ? [] : verdictLines(bulkExport.id, verdict)),
  ],
  isGood: ({ verdict }) => verdict?.ok !== false,
});

function orderOf(invocation: Invocation) {
  const [start_time, end_time] = [timeOf(invocation, "from"), timeOf(invocation, "to")];
  const [every, fields] = [textOf(invocation, "every"), textOf(invocation, "fields")];
  if (start_time === undefined)
    throw new UsageError("--from is missing; give the start of the export window, such as 2026-01-01");
  if ((end_time === undefined) === (every === undefined))
    throw new UsageError("--to: give the end of the window, or --every for a schedule, but not both");
  if (end_time !== undefined && Date.parse(end_time) <= Date.parse(start_time))
    throw new UsageError(`--to: ${end_time} is not later than --from`);
  return {
    start_time,
    end_time,
    interval_hours: every === undefined ? undefined : hoursOf(every),
    filter: textOf(invocation, "filter"),
    export_fields: fields?.split(",").map((name) => readColumn(name, "--fields", Object.keys(FILE_COLUMNS))),
    format_version: wordOf(invocation, "format-version", ["v1", "v2_beta"]),
  };
}

/** Before anything is created. Throws `UsageError`. */
async function checkFilter({ api }: RunningWorld, filter: string): Promise<void> {
  const { errors } = await api<{ readonly errors: readonly { readonly message: string }[] }>(
    "POST",
    "/runs/query/validate",
    { filter },
  );
  if (errors[0] !== undefined) throw new UsageError(`--filter: ${errors[0].message}`);
}

function hoursOf(text: string): number {
  const hours = readDurationMs(text, "--every") / HOUR_MS;
  const { minimum, maximum } = INTERVAL_HOURS;
  if (Number.isInteger(hours) && hours >= minimum && hours <= maximum) return hours;
  throw new UsageError(`--every: "${text}" is not valid; give whole hours from ${minimum}h to ${maximum}h`);
}

/** The one destination of the workspace, made where there is none. Throws a `UsageError` when there are several. */
async function usualDestination({ api }: RunningWorld): Promise<string> {
  const [only, ...others] = await api<readonly { readonly id: string }[]>("GET", DESTINATIONS);
  if (others.length > 0)
    throw new UsageError(
      `--destination is missing; there are ${others.length + 1}: ${[only, ...others].map((each) => each?.id).join(", ")}`,
    );
  if (only !== undefined) return only.id;
  const { id } = await api<{ readonly id: string }>("POST", DESTINATIONS, {
    destination_type: "s3",
    display_name: "Embedded object store",
    config: { bucket_name: SEEDED_BUCKET, prefix: "exports", region: "us-east-1" },
    credentials: SEEDED_KEY,
  });
  return id;
}

async function waitForEnd(world: RunningWorld, work: Work, id: string) {
  await advanceClock(world, work, { until: { export: id, status: "COMPLETED" } }).catch((error: Error) => {
    error.message = `export ${id} was created; ${error.message}`;
    throw error;
  });
  const [finalExport, runs] = [await exportOf(world, id), await runsOf(world, id)];
  return { export: finalExport, runs, verdict: await verifyExport(world, work, id) };
}
