import { cpSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { JournalEntry } from "../../../emulator/kernel/journal.ts";
import { LOCK_ENTRIES } from "../../../emulator/runtime/process/folder-lock.ts";
import { BEGIN, type Rig, startRig } from "../../support/emulator.ts";
import { workingFolder } from "../../support/emulator-process.ts";
import { rowId } from "../../support/kill-load.ts";

const ORIGINS = ["main", "now", "clock", "at", "snapshot", "fork"] as const;

type Origin = (typeof ORIGINS)[number];

/** Requests to a world: method, path and body. */
const REQUESTS = {
  thread: ["POST", "/threads", { metadata: { n: 1 } }],
  read: ["POST", "/threads/count", {}],
  refused: ["PATCH", "/threads/none", {}],
  run: ["POST", "/runs", { assistant_id: "echo", webhook: "/_emulator/inbox/box" }],
  cron: ["POST", "/runs/crons", { assistant_id: "echo", schedule: "* * * * *" }],
  advance: ["POST", "/_emulator/v1/clock/advance", { by: "PT90S" }],
  wait: ["POST", "/_emulator/v1/clock/advance", { by: "PT1S" }],
  bucket: ["POST", "/_emulator/v1/s3/buckets", { name: "second" }],
  row: ["POST", "/api/v1/runs", { name: "a", run_type: "chain", session_name: "p", start_time: BEGIN }],
  rewind: ["POST", "/_emulator/v1/rewind", { at: BEGIN }],
} as const;

const history = fc.record({
  origin: fc.constantFrom(...ORIGINS),
  steps: fc.array(
    fc.record({
      end: fc.constantFrom("kill", "stop", "none"),
      request: fc.constantFrom(...(Object.keys(REQUESTS) as (keyof typeof REQUESTS)[])),
    }),
    { minLength: 1, maxLength: 8 },
  ),
});

/** Creates a world in the way that is tested; returns its base path. */
async function createWorld(origin: Origin, { emulator, call }: Rig): Promise<string> {
  await call("POST", "/threads", {});
  await emulator.clock.advance("PT1M");
  if (origin === "main") return "";
  if (origin === "snapshot") await emulator.control("POST", "/snapshots", { name: "saved" });
  const orders: Readonly<Record<Exclude<Origin, "main">, object>> = {
    now: { now: "2030-05-01T00:00:00Z" },
    clock: { clock: "frozen" },
    at: { from: "main", at: 2 },
    snapshot: { from: "saved" },
    fork: { from: "main" },
  };
  await emulator.control("POST", "/worlds", { id: "w", ...orders[origin] });
  return "/w/w";
}

const CHANGES = ["put", "removed", "scheduled", "effects", "clock"] as const;

/** Remarks on requests, which no restart keeps (docs/understand/worlds.md). */
const NOT_STORED = { sent_beyond: undefined, answered_beyond: undefined };

/** The operation of a turn that changes rows alone. */
const ROWS_ALONE = "createRun";

/** What a restart keeps: of the journal, the turns that changed something. */
async function factsOf({ emulator }: Rig, base: string) {
  const text = async (path: string) => {
    const reply = await emulator.request(`${base}/_emulator/v1${path}`);
    const body = await reply.text();
    expect(reply.status, body).toBe(200);
    return body;
  };
  const read = async <T>(path: string) => JSON.parse(await text(path)) as T;
  const { now, seed, clock, traces, generation, ended_by } = await read<Record<string, unknown>>("/status");
  const journal = (await text("/journal"))
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => ({ ...(JSON.parse(line) as JournalEntry), ...NOT_STORED }))
    .filter(
      ({ cause, ...entry }) => cause.name === ROWS_ALONE || CHANGES.some((name) => entry[name] !== undefined),
    );
  return { now, seed, clock, traces, generation, ended_by, journal, faults: await read("/faults") };
}

/** A process that is killed leaves its folder as it is at that moment. */
async function restart(rig: Rig, data: string, end: "kill" | "stop") {
  const next = end === "kill" ? workingFolder() : data;
  const isLock = (path: string) => LOCK_ENTRIES.some((name) => path === join(data, name));
  if (end === "kill") cpSync(data, next, { recursive: true, filter: (path) => !isLock(path) });
  await rig.close();
  return { data: next, rig: await startRig({ data: next, ephemeral: false, now: undefined }) };
}

it("a world continues after a kill or a stop between any two requests, however it was created", async () => {
  const property = fc.asyncProperty(history, async ({ origin, steps }) => {
    let data = workingFolder();
    let rig = await startRig({ data, ephemeral: false });
    try {
      const base = await createWorld(origin, rig);
      for (const [step, { end, request }] of steps.entries()) {
        if (end !== "none") {
          const before = await factsOf(rig, base);
          ({ data, rig } = await restart(rig, data, end));
          expect(await factsOf(rig, base)).toEqual(before);
        }
        const [method, path, body] = REQUESTS[request];
        // With an id of its own, a row leaves nothing but itself.
        const values = request === "row" ? { ...body, id: rowId(1, step) } : body;
        const { status } = await rig.call(method, base + path, values);
        expect(status).toBeLessThan(
          request === "rewind" || request === "refused" || request === "bucket" ? 500 : 300,
        );
      }
    } finally {
      await rig.close();
    }
  });
  await fc.assert(property, { numRuns: 104, seed: 29, endOnFailure: true });
});
