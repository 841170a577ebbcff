import type { Check } from "../engine/check.ts";
import { accepted, isRefused } from "../engine/check.ts";
import type { CallOptions, Contract, Reply } from "../engine/contract.ts";
import { DAY, iso, midnight } from "../engine/instant.ts";
import type { Members } from "../engine/json.ts";
import type { ReadFile } from "../engine/target.ts";
import { DESTINATIONS, EXPORTS, STOP_WORD } from "../facts/bulk-exports.ts";
import { listIn, readExport, readRun } from "./reading.ts";
import { row, rowAt } from "./trace-rows.ts";

export { DESTINATIONS, EXPORTS, row, rowAt };

/** What a case needs that reads the files of an export. */
export const FILES = ["writes", "ingest", "object_store"] as const;

export interface Identified {
  readonly id: string;
}

export interface ExportBody extends Identified {
  readonly status: string;
  readonly created_at: string;
  readonly start_time: string | undefined;
  readonly end_time: string | null;
  readonly source_bulk_export_id: string | null;
}

export interface ExportRunBody extends Identified {
  readonly status: string;
  readonly created_at: string;
  readonly start_time: string;
  readonly end_time: string;
  readonly rows_exported: number;
  readonly errors: Readonly<Record<string, string>>;
  readonly metadata: {
    readonly latest_cursor: string | null;
    readonly rows_exported: number;
    readonly files: readonly string[];
  };
}

/** The body that creates a destination in the case's bucket; `config` and `credentials` override members. */
export function destinationBody(t: Contract, config: Members = {}, credentials: Members = {}): Members {
  const { name, region, endpointUrl, accessKeyId, secretAccessKey, sessionToken } = t.identity.bucket;
  const address = endpointUrl === null ? { region } : { endpoint_url: endpointUrl };
  return {
    destination_type: "s3",
    display_name: `Contract ${t.draw.word()}`,
    config: { bucket_name: name, prefix: `contract/${t.draw.word()}`, ...address, ...config },
    credentials: {
      access_key_id: accessKeyId,
      secret_access_key: secretAccessKey,
      ...(sessionToken && { session_token: sessionToken }),
      ...credentials,
    },
  };
}

export function createDestination(
  t: Contract,
  config: Members = {},
  credentials: Members = {},
): Promise<Reply<Identified>> {
  return t.call<Identified>("POST", DESTINATIONS, { body: destinationBody(t, config, credentials) });
}

/** Creates a project and ingests rows into it. */
export async function project(t: Contract, rows: readonly Members[], headers: Record<string, string> = {}) {
  const { body } = await t.call<Identified>("POST", "/api/v1/sessions", {
    body: { name: `contract-${t.draw.word(12)}` },
    headers,
  });
  if (!t.has("control") && typeof body.id !== "string")
    t.lack("a way to create a tracing project (POST /api/v1/sessions)");
  await ingest(t, body.id, rows, headers);
  return body.id;
}

const ROWS_PER_BATCH = 200;

export async function ingest(
  t: Contract,
  session_id: string,
  rows: readonly Members[],
  headers: Record<string, string> = {},
): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_PER_BATCH) {
    const post = rows.slice(from, from + ROWS_PER_BATCH).map((row) => ({ session_id, ...row }));
    const { status } = await t.call("POST", "/runs/batch", { body: { post }, headers });
    if (!t.has("control") && !accepted(status).holds)
      t.lack(`ingested trace rows: POST /runs/batch returned ${status}`);
    t.must("X-1", accepted(status), `trace rows are ingested; the reply was ${status}`);
  }
}

/** What an export needs: a destination, and a project with rows on some whole days before today. */
export interface Prepared {
  readonly destinationId: string;
  readonly projectId: string;
  /** UTC midnight of the first day. */
  readonly from: number;
  readonly to: number;
  readonly rows: readonly Members[];
}

export async function prepare(
  t: Contract,
  { days = 2, perDay = 3, config = {}, credentials = {}, more = (_index: number): Members => ({}) } = {},
): Promise<Prepared> {
  const now = await t.now();
  const from = midnight(now, -days - 1);
  const rows = Array.from({ length: days * perDay }, (_, index) =>
    row(t, from + Math.floor(index / perDay) * DAY + (index % perDay) * 3_600_000 + 60_000, more(index)),
  );
  const projectId = await project(t, rows);
  const destinationId = await usableDestination(t, config, credentials);
  return { destinationId, projectId, from, to: from + days * DAY, rows };
}

/** A new destination; without a bucket at hand the one that was given. */
async function usableDestination(t: Contract, config: Members, credentials: Members): Promise<string> {
  const { destinationId } = t.identity;
  const hasBucket = t.has("object_store");
  if (!hasBucket && destinationId !== undefined) return destinationId;
  const { status, body } = await createDestination(t, config, credentials);
  if (!hasBucket && isRefused(status))
    t.lack("a destination that exists on the server (--destination or --s3)");
  t.must("4.2-1", typeof body.id === "string", "the destination is created and has an id");
  return body.id;
}

/** A destination and a project of the target, and a window of two days. */
export interface Order extends Pick<Prepared, "destinationId" | "projectId" | "from" | "to"> {
  /** What the target may not know, since it was made up; empty where everything was given or created. */
  readonly madeUp: readonly string[];
}

/** What an order of an export needs: ids that were given, else created where the target can, else made up. */
export async function prepareOrder(t: Contract): Promise<Order> {
  const { destinationId = await createdId(t, DESTINATIONS, destinationBody(t)), sessionId } = t.identity;
  const name = `contract-${t.draw.word(12)}`;
  const projectId = sessionId ?? (await createdId(t, "/api/v1/sessions", { name }));
  const from = midnight(await t.now(), -3);
  return {
    destinationId: destinationId ?? t.draw.uuid(),
    projectId: projectId ?? t.draw.uuid(),
    from,
    to: from + 2 * DAY,
    madeUp: [
      ...(destinationId === undefined ? ["a destination that exists on the server (--destination)"] : []),
      ...(projectId === undefined ? ["a tracing project that exists on the server (--session)"] : []),
    ],
  };
}

/** The id of something created on the way; undefined where the target cannot. */
async function createdId(t: Contract, path: string, body: Members): Promise<string | undefined> {
  const reply = await t.call<Identified>("POST", path, { body, mayLack: true, unchecked: true });
  return accepted(reply.status).holds && typeof reply.body.id === "string" ? reply.body.id : undefined;
}

/** Orders an export without mistakes: refusals of others prove something only when this one is accepted. */
export function placeOrder(t: Contract, order: Order, more: Members = {}): Promise<Reply<ExportBody>> {
  return t.call<ExportBody>("POST", EXPORTS, { body: exportBody(order, more) });
}

/** Ends the case when the export was not created: as UNSUPPORTED where an id that was made up may be the reason. */
export function requireExport(t: Contract, { madeUp }: Partial<Order>, reply: Reply<ExportBody>): ExportBody {
  const { status, body, exchange } = reply;
  if (isRefused(status) && madeUp && madeUp.length > 0) t.lack(madeUp.join(" and "));
  t.must("4.3-1", status < 300 && typeof body.id === "string", "the export is created and has an id", {
    actual: status,
    exchange,
  });
  return readExport<ExportBody>(body);
}

export function exportBody(
  prepared: Pick<Prepared, "destinationId" | "projectId" | "from" | "to">,
  more: Members = {},
) {
  const { destinationId, projectId, from, to } = prepared;
  return {
    bulk_export_destination_id: destinationId,
    session_id: projectId,
    start_time: iso(from),
    ...(more.interval_hours === undefined && { end_time: iso(to) }),
    ...more,
  };
}

/** Creates an export; ends the case when it is refused. A reply with only the id (§4.3) is followed by a read. */
export async function createExport(
  t: Contract,
  prepared: Prepared | Order,
  more: Members = {},
): Promise<ExportBody> {
  const body = exportBody(prepared, more);
  const newExport = requireExport(t, prepared, await t.call<ExportBody>("POST", EXPORTS, { body }));
  return newExport.status === undefined ? exportOf(t, newExport.id) : newExport;
}

export async function exportOf(t: Contract, id: string): Promise<ExportBody> {
  return readExport<ExportBody>((await t.call("GET", `${EXPORTS}/${id}`)).body);
}

/** Every export that the list answers, in its order. */
export async function exportsIn(
  t: Contract,
  options: CallOptions = {},
  query = "",
): Promise<readonly ExportBody[]> {
  const { body } = await t.call("GET", `${EXPORTS}${query}`, options);
  return listIn(body).map(readExport<ExportBody>);
}

export async function runsOf(t: Contract, id: string): Promise<readonly ExportRunBody[]> {
  const { body } = await t.call("GET", `${EXPORTS}/${id}/runs`);
  return listIn(body).map(readRun<ExportRunBody>);
}

export async function cancel(t: Contract, id: string): Promise<Reply> {
  return t.call("PATCH", `${EXPORTS}/${id}`, { body: { status: STOP_WORD } });
}

/** A status in capitals: its spelling differs between deployments. */
export function statusOf({ status }: { readonly status: unknown }): string {
  return String(status).toUpperCase();
}

/** An export or run of this status, however it is spelled. */
export function inStatus(item: { readonly status: unknown } | undefined, expected: string): Check {
  return { holds: item !== undefined && statusOf(item) === expected, expected, actual: item?.status };
}

/**
 * Waits until the export has a status: 30 virtual days at most. Without the clock it ends the case when the
 * export does not end while it is waited for.
 */
export async function until(t: Contract, id: string, status: string): Promise<boolean> {
  if (t.has("control")) return (await t.advance({ until: { export: id, status } })).reached === true;
  let last = "";
  const hasEnded = async () => {
    last = statusOf(await exportOf(t, id));
    return last === status || FINAL.includes(last);
  };
  const isEnded = (t.has("clock") && (await advanceUntil(t, hasEnded))) || (await t.eventually(hasEnded));
  if (!isEnded) t.lack("exports that end within the waiting time (--wait <seconds>)");
  // Without its object store at hand nobody can tell why.
  if (last !== status) t.lack(`an export that ends as ${status}; this export is ${last}`);
  return true;
}

/** How far the clock moves at once, and how often: 30 days in all. */
const STEPS = { PT1S: 10, PT10S: 6, PT1M: 10, PT1H: 24, P1D: 29 } as const;

async function advanceUntil(t: Contract, hasEnded: () => Promise<boolean>): Promise<boolean> {
  if (await hasEnded()) return true;
  for (const [by, times] of Object.entries(STEPS))
    for (let count = 0; count < times; count++) {
      await t.advance(by);
      if (await hasEnded()) return true;
    }
  return false;
}

const FINAL = ["COMPLETED", "FAILED", "CANCELLED", "TIMEDOUT"];

/** Creates an export and waits for COMPLETED. */
export async function runExport(t: Contract, prepared: Prepared, more: Members = {}): Promise<ExportBody> {
  const { id } = await createExport(t, prepared, more);
  t.must("3.1-6", await until(t, id, "COMPLETED"), "an export whose runs succeed is COMPLETED");
  return exportOf(t, id);
}

/** Runs an export, and reads every row of its files. */
export async function exportRows(t: Contract, prepared: Prepared, more: Members = {}) {
  return rowsOf(t, (await runExport(t, prepared, more)).id);
}

/** Keys of the files of an export, listed from the bucket. */
export async function filesOf(t: Contract, id: string): Promise<readonly string[]> {
  const keys = await t.objects.list(t.identity.bucket.name);
  return keys.filter((key) => key.includes(`export_id=${id}/`) && key.endsWith(".parquet"));
}

export async function readAll(t: Contract, keys: readonly string[]): Promise<readonly ReadFile[]> {
  const files: ReadFile[] = [];
  for (const key of keys) files.push(await t.reach.parquet(await t.objects.get(t.identity.bucket.name, key)));
  return files;
}

/** Every row of every file of an export. */
export async function rowsOf(t: Contract, id: string): Promise<readonly Members[]> {
  return (await readAll(t, await filesOf(t, id))).flatMap(({ rows }) => rows);
}
