import { beforeAll, describe, expect, it } from "vitest";
import * as AGENT from "../../contracts/facts/agent.ts";
import * as EXPORTS from "../../contracts/facts/bulk-exports.ts";
import { ASSUMPTIONS, type AssumptionId } from "../../contracts/spec/assumptions.ts";
import type { Operation } from "../../contracts/spec/operation.ts";
import { OPERATIONS } from "../../contracts/spec/operations.ts";
import { DESTINATION, HEADERS, prepareExport, startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";
import { type BoundaryRequest, boundaryRequests, type RequestRow } from "./boundary-requests.ts";

/** The assumptions by which a request outside its row is accepted, or one inside it is refused. */
const DECLARED: readonly (readonly [RegExp, AssumptionId])[] = [
  [/^body\.input: null$/, "agent.null_input"],
  [/(?<!config\.region|stream_mode): null$/, "platform.null_members"],
  [/(display_name: ""|(display_name|prefix|region): "a+")$/, "destination.text_lengths"],
  [/export_fields: \[\]$/, "export.fields_list"],
  [/(limit: 1000000|(limit|offset): -1)$/, "agent.list_limit"],
  [/stream_mode: ("a*")$/, "agent.request_values"],
];

const rig = useRig("file", () => startRig({ profile: "spec" }));

const RUN = { assistant_id: "echo", input: { question: "why" } };
const CRON = { ...RUN, schedule: "0 0 * * *" };

const STARTS = AGENT.STARTING_OPERATIONS.map(({ path, cron }) => {
  const row = { method: "POST", path, body: AGENT.RUN_REQUEST, example: { body: cron ? CRON : RUN } };
  return [`POST ${path}`, row] as const;
});
const ROWS: Readonly<Record<string, RequestRow>> = {
  ...EXPORTS.EXPORT_REQUESTS,
  ...AGENT.AGENT_REQUESTS,
  ...Object.fromEntries(STARTS),
};

/** A resource of each kind in the emulator, by the names of path parameters. */
let path: Readonly<Record<"thread_id" | "export_id", string>>;
let bodies: Readonly<Record<string, Readonly<Record<string, unknown>>>>;

beforeAll(async () => {
  const { projectId, destinationId } = await prepareExport(rig);
  const schedule = {
    bulk_export_destination_id: destinationId,
    session_id: projectId,
    start_time: "2026-02-25T00:00:00Z",
    interval_hours: 6,
  };
  const { interval_hours: _, ...window } = schedule;
  const oneOff = { ...window, end_time: "2026-02-26T00:00:00Z" };
  bodies = {
    createBulkExportDestination: DESTINATION,
    createBulkExport: oneOff,
    createScheduledExport: schedule,
    stopBulkExport: { status: EXPORTS.STOP_WORD },
    searchAssistants: {},
  };
  path = {
    thread_id: (await rig.call<{ thread_id: string }>("POST", "/threads", {})).body.thread_id,
    export_id: (await rig.call<{ id: string }>("POST", EXPORTS.EXPORTS, oneOff)).body.id,
  };
});

type SentRequest = Pick<BoundaryRequest, "method" | "path" | "body" | "withoutHeader">;

async function send({ method, path: target, body, withoutHeader }: SentRequest) {
  const reply = await rig.emulator.request(target, {
    method,
    headers: { ...HEADERS, ...(withoutHeader !== undefined && { [withoutHeader]: "" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, isAccepted: reply.status < 400, text: await reply.text() };
}

const isDeclared = (name: string) => DECLARED.some(([pattern]) => pattern.test(name));
const nameOf = ({ where, value }: BoundaryRequest) => `${where}: ${JSON.stringify(value) ?? "missing"}`;

describe("a request next to a row of the specification's tables", () => {
  it.each(Object.keys(ROWS))("%s: is refused outside it and accepted inside it, or declared", async (id) => {
    const row = ROWS[id] as RequestRow;
    const body = bodies[id] ?? row.example?.body;
    const example = { path, ...(body && { body }) };
    const accepted = row.path.replace(/\{(\w+)\}/g, (_, name: keyof typeof path) => path[name]);
    const base = await send({ method: row.method, path: accepted, ...(body && { body }) });
    expect(base).toMatchObject({ isAccepted: true });
    const undeclared: string[] = [];
    for (const request of boundaryRequests({ ...row, example })) {
      const { isAccepted, status } = await send(request);
      const name = nameOf(request);
      if ((isAccepted === request.isOutside || status >= 500) !== isDeclared(name))
        undeclared.push(`${name} is ${request.isOutside ? "outside" : "inside"} the row; status ${status}`);
    }
    expect(undeclared).toEqual([]);
  });

  it("is declared by an assumption that exists", () => {
    for (const [, id] of DECLARED) expect(ASSUMPTIONS).toHaveProperty([id]);
  });
});

describe("a request next to a row of our own tables", () => {
  const VALID = { ...CRON, graph_id: "echo", ...DESTINATION };

  it.each(Object.entries<Operation>(OPERATIONS))(
    "%s: is refused, and the field is named",
    async (id, row) => {
      const { required = [] } = (row.body ?? {}) as { required?: readonly string[] };
      const names = [...required, ...(row.when?.body === "object" ? [row.when.member] : [])];
      const members = names.map((name) => [name, VALID[name as keyof typeof VALID]]);
      const body = bodies[id] ?? Object.fromEntries(members);
      const accepted: string[] = [];
      for (const request of boundaryRequests({
        ...row,
        ...(row.body && { example: { body } }),
      } as RequestRow)) {
        // The members of our own tables may be null, and one member selects the row.
        if (
          !request.isOutside ||
          request.value === null ||
          request.where.endsWith(row.when ? (names[0] ?? "") : "?")
        )
          continue;
        const { status, text } = await send(request);
        if (status < 400 || status >= 500 || !text.includes(request.where))
          accepted.push(`${nameOf(request).slice(0, 100)}: ${status} ${text.slice(0, 200)}`);
      }
      expect(accepted).toEqual([]);
    },
  );
});
