import { describe, expect, it } from "vitest";
import type { Emulator } from "../../emulator/runtime/index.ts";
import {
  createExport,
  HEADERS,
  prepareExport,
  rigOfWorld,
  runToCompletion,
  startRig,
} from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

const rig = useRig("test", () => startRig({ seed: 11 }));

/** So many turns of the event loop come between a request and the removal of its world. */
const ROUNDS = [0, 1, 3, 8];

/** Two of them for each read, and the other two for the next one. */
function roundsFor(name: string): readonly number[] {
  const place = Object.keys(READS).indexOf(name);
  return ROUNDS.filter((_, nth) => (nth + place) % 2 === 0);
}

async function pass(rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function turnOf(world: Emulator): Promise<number> {
  return (await world.control<{ turn: number }>("GET", "/status")).turn;
}

/** A world with an export that is done, its turn then, and rows that have changed since. */
async function filled(id: string) {
  const world = await rig.emulator.fork({ id });
  const calls = rigOfWorld(world);
  const prepared = await prepareExport(calls, { count: 40 });
  const { body: bulkExport } = await createExport(calls, prepared);
  await runToCompletion(calls, bulkExport.id);
  const turn = await turnOf(world);
  await prepareExport(calls, { count: 40 });
  return { world, turn, exportId: bulkExport.id, projectId: prepared.projectId };
}

type Filled = Awaited<ReturnType<typeof filled>>;

/** Reads that take more than one turn of the event loop, by their paths below the world. */
const READS: Readonly<
  Record<string, (world: Filled) => readonly [method: string, path: string, body?: object]>
> = {
  "an export is verified": ({ exportId, turn }) => [
    "GET",
    `/_emulator/v1/exports/${exportId}/verify?as_of=${turn}`,
  ],
  "an export is verified in the present": ({ exportId }) => [
    "GET",
    `/_emulator/v1/exports/${exportId}/verify`,
  ],
  "rows are counted": ({ projectId, turn }) => [
    "POST",
    `/runs/stats?as_of=${turn}`,
    { session: [projectId] },
  ],
  "rows are queried": ({ projectId, turn }) => [
    "POST",
    `/runs/query?as_of=${turn}`,
    { session: [projectId] },
  ],
  "the journal is read": ({ turn }) => ["GET", `/_emulator/v1/journal?as_of=${turn}`],
  "the instants of one world are compared": ({ turn, world }) => [
    "GET",
    `/_emulator/v1/worlds/${world.world}/diff?with=${world.world}&at=${turn}`,
  ],
  "two worlds are compared": ({ turn, world }) => [
    "GET",
    `/_emulator/v1/worlds/main/diff?with=${world.world}&with_at=${turn}`,
  ],
};

describe.each(["removed", "reset"] as const)("a world that is %s while", (how) => {
  it.each(Object.keys(READS))("%s answers as if it was not, or says so", async (name) => {
    const statuses = new Set<number>();
    for (const [nth, rounds] of roundsFor(name).entries()) {
      const fork = await filled(`side-${nth}`);
      const [method, path, body] = READS[name]?.(fork) ?? expect.fail();
      const ask = () =>
        fork.world.request(path, { method, headers: HEADERS, ...(body && { body: JSON.stringify(body) }) });
      const expected = await (await ask()).text();
      const request = ask();
      await pass(rounds);
      await (how === "removed" ? fork.world.close() : fork.world.reset());
      const reply = await request;
      const text = await reply.text();
      statuses.add(reply.status);
      if (reply.ok) expect(text, `after ${rounds} rounds`).toBe(expected);
      else {
        expect(text, `after ${rounds} rounds`).toMatch(
          how === "removed" ? /was removed|does not exist/ : /was reset/,
        );
        expect(reply.status).toBe(how === "removed" ? 404 : 409);
      }
    }
    expect([...statuses].every((status) => status < 500)).toBe(true);
  });
});
