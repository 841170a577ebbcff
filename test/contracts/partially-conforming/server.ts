import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type Request, type Response } from "express";
import { COLUMN_NAMES } from "../../../contracts/spec/bulk-exports/columns.ts";

/** A plain backend with six operations and no control surface; each switch is a mistake that somebody could make. */
export interface Mistakes {
  readonly intervalUnchecked?: boolean;
  readonly endTimeOptional?: boolean;
  readonly unknownFieldsTaken?: boolean;
  readonly runsInObject?: boolean;
  readonly firstPageOnly?: boolean;
  readonly ownStatus?: boolean;
  readonly cancelDeletes?: boolean;
  readonly limitIgnored?: boolean;
  readonly selectIgnored?: boolean;
  readonly errorObject?: boolean;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const STATUSES = ["pending", "error", "success", "timeout", "interrupted"];

export const DESTINATION = "3a91a355-8a88-422c-9546-72c183b95b5c";
export const SESSION = "4a91a355-8a88-422c-9546-72c183b95b5c";
export const THREAD = "0a91a355-8a88-422c-9546-72c183b95b5c";

const RUNS = Array.from({ length: 12 }, (_, index) => ({
  run_id: `1a91a355-8a88-422c-9546-72c183b95b${String(index + 10)}`,
  thread_id: THREAD,
  assistant_id: "2a91a355-8a88-422c-9546-72c183b95b5c",
  created_at: `2026-01-01T00:00:${String(index + 10)}Z`,
  updated_at: "2026-01-01T00:01:00Z",
  status: index % 3 === 0 ? "error" : "success",
  metadata: {},
  kwargs: {},
  multitask_strategy: "reject",
}));

type Order = Readonly<Record<string, unknown>>;

const isTime = (value: unknown) => typeof value === "string" && !Number.isNaN(Date.parse(value));
const isInterval = (value: unknown) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 168;

function isWrong(order: Order, mistakes: Mistakes): boolean {
  const { bulk_export_destination_id, session_id, start_time, end_time, filter, interval_hours } = order;
  const { export_fields: fields, format_version } = order;
  const isScheduled = interval_hours !== undefined;
  return [
    bulk_export_destination_id !== DESTINATION || session_id !== SESSION || !isTime(start_time),
    end_time !== undefined && !isTime(end_time),
    !mistakes.endTimeOptional && isScheduled === (end_time !== undefined),
    isScheduled && !mistakes.intervalUnchecked && !isInterval(interval_hours),
    filter !== undefined && typeof filter !== "string",
    format_version !== undefined && format_version !== "v2_beta",
    fields !== undefined && !Array.isArray(fields),
    !mistakes.unknownFieldsTaken &&
      Array.isArray(fields) &&
      !fields.every((name) => COLUMN_NAMES.includes(name)),
  ].some(Boolean);
}

function exportRoutes(app: express.Express, mistakes: Mistakes): void {
  const all: Record<string, unknown>[] = [];
  const find = ({ params }: Request) => all.find(({ id }) => id === params.id);
  const missing = (reply: Response) => void reply.status(404).json({ error: "no such export" });
  app.post("/api/v1/bulk-exports", (request, reply) => {
    const order: Order = request.body ?? {};
    if (isWrong(order, mistakes)) return void reply.status(400).json({ error: "this is not an export" });
    const status = mistakes.ownStatus ? "QUEUED" : "CREATED";
    const bulkExport = { id: randomUUID(), ...order, status, created_at: new Date().toISOString() };
    all.push(bulkExport);
    reply.status(201).json(bulkExport);
  });
  app.get("/api/v1/bulk-exports", (_, reply) => {
    reply.json(mistakes.firstPageOnly ? all.slice(0, 3) : all);
  });
  app.get("/api/v1/bulk-exports/:id", (request, reply) => {
    const match = find(request);
    return match ? void reply.json(match) : missing(reply);
  });
  app.patch("/api/v1/bulk-exports/:id", (request, reply) => {
    const match = find(request);
    if (!match) return missing(reply);
    match.status = "CANCELLED";
    if (mistakes.cancelDeletes) all.splice(all.indexOf(match), 1);
    reply.json(match);
  });
}

function threadRoutes(app: express.Express, mistakes: Mistakes): void {
  app.get("/threads/:id/runs", ({ params, query }, reply) => {
    const refuse = (status: number, text: string) =>
      void reply.status(status).json(mistakes.errorObject ? { message: text } : text);
    const limit = Number(query.limit ?? 10);
    const offset = Number(query.offset ?? 0);
    const select = query.select === undefined ? undefined : [query.select].flat().map(String);
    if (!UUID.test(params.id)) return refuse(422, "thread_id is not a uuid");
    if (params.id !== THREAD) return refuse(404, "no such thread");
    if (!(limit >= 0) || !(offset >= 0)) return refuse(422, "limit and offset are numbers");
    if (query.status !== undefined && !STATUSES.includes(String(query.status))) return refuse(422, "status");
    if (select && !select.every((name) => name in (RUNS[0] as object))) return refuse(422, "select");
    const runs = RUNS.filter(({ status }) => query.status === undefined || status === query.status);
    const page = runs.slice(offset, mistakes.limitIgnored ? undefined : offset + limit);
    const isSelected = ([name]: readonly [string, unknown]) =>
      mistakes.selectIgnored || !select || select.includes(name);
    const list = page.map((run) => Object.fromEntries(Object.entries(run).filter(isSelected)));
    reply.json(mistakes.runsInObject ? { runs: list } : list);
  });
}

/** Starts the server on a free port. */
export async function halfRightServer(mistakes: Mistakes) {
  const app = express();
  app.use(express.json({ strict: false }));
  exportRoutes(app, mistakes);
  threadRoutes(app, mistakes);
  const server = await new Promise<Server>((done) => {
    const server: Server = app.listen(0, "127.0.0.1", () => done(server));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise<void>((closed) => void server.close(() => closed())),
  };
}
