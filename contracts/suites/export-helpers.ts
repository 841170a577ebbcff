import type { Check } from "../engine/check.ts";
import { accepted } from "../engine/check.ts";
import type { Contract, Reply } from "../engine/contract.ts";
import { DAY, iso, midnight } from "../engine/instant.ts";
import type { Members } from "../engine/json.ts";
import type { ReadFile } from "../engine/target.ts";

export const DESTINATIONS = "/api/v1/bulk-exports/destinations";
export const EXPORTS = "/api/v1/bulk-exports";

export interface Identified {
  readonly id: string;
}

export interface ExportBody extends Identified {
  readonly status: string;
  readonly created_at: string;
  readonly start_time: string;
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
    t.must("X-1", accepted(status), `trace rows are taken in, and not answered with ${status}`);
  }
}

/** A root row of a trace. */
export function row(t: Contract, start: number, more: Members = {}): Members {
  const id = t.draw.uuid();
  return {
    id,
    trace_id: id,
    dotted_order: `${iso(start)
      .replace(/\.\d+Z$|Z$/, "")
      .replace(/[-:]/g, "")}000000Z${id}`,
    name: "step",
    run_type: "chain",
    start_time: iso(start),
    end_time: iso(start + 1500),
    inputs: { question: "Why?" },
    outputs: { answer: "Because." },
    ...more,
  };
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
  { days = 2, perDay = 3, config = {}, credentials = {}, more = () => ({}) as Members } = {},
): Promise<Prepared> {
  const now = await t.now();
  const from = midnight(now, -days - 1);
  const rows = Array.from({ length: days * perDay }, (_, index) =>
    row(t, from + Math.floor(index / perDay) * DAY + (index % perDay) * 3_600_000 + 60_000, more()),
  );
  const projectId = await project(t, rows);
  const destination = await createDestination(t, config, credentials);
  t.must("4.2-1", typeof destination.body.id === "string", "a destination is created and has an id");
  return { destinationId: destination.body.id, projectId, from, to: from + days * DAY, rows };
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

/** Creates an export; ends the case when it is refused. */
export async function createExport(t: Contract, prepared: Prepared, more: Members = {}): Promise<ExportBody> {
  const { status, body } = await t.call<ExportBody>("POST", EXPORTS, { body: exportBody(prepared, more) });
  t.must("4.3-1", status < 300 && typeof body.id === "string", "an export is created and has an id", {
    actual: status,
  });
  return body;
}

export async function exportOf(t: Contract, id: string): Promise<ExportBody> {
  return (await t.call<ExportBody>("GET", `${EXPORTS}/${id}`)).body;
}

export async function runsOf(t: Contract, id: string): Promise<readonly ExportRunBody[]> {
  const { body } = await t.call<readonly ExportRunBody[]>("GET", `${EXPORTS}/${id}/runs`);
  return Array.isArray(body) ? body : [];
}

export async function cancel(t: Contract, id: string): Promise<Reply> {
  return t.call("PATCH", `${EXPORTS}/${id}`, { body: { status: "Cancelled" } });
}

/** A status in capitals: its spelling differs between deployments. */
export function statusOf({ status }: { readonly status: unknown }): string {
  return String(status).toUpperCase();
}

/** An export or run of this status, however it is spelled. */
export function inStatus(item: { readonly status: unknown } | undefined, expected: string): Check {
  return { holds: item !== undefined && statusOf(item) === expected, expected, actual: item?.status };
}

/** Moves the clock until the export has a status; 30 virtual days at most. */
export async function until(t: Contract, id: string, status: string): Promise<boolean> {
  const { reached } = await t.advance({ until: { export: id, status } });
  return reached === true;
}

/** Creates an export and waits for COMPLETED. */
export async function runExport(t: Contract, prepared: Prepared, more: Members = {}): Promise<ExportBody> {
  const { id } = await createExport(t, prepared, more);
  t.must("3.1-6", await until(t, id, "COMPLETED"), "an export whose runs succeed is COMPLETED");
  return exportOf(t, id);
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

export function arm(t: Contract, rule: Members): Promise<Identified> {
  return t.control<Identified>("POST", "/faults", rule);
}

export async function hitsOf(t: Contract, { id }: Identified): Promise<number> {
  return Number((await t.control<{ readonly hits: number }>("GET", `/faults/${id}`)).hits);
}
