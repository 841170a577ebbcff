import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { type Rig, startRig } from "../support/emulator.ts";
import { workingFolder } from "../support/emulator-process.ts";

let data: string;

beforeEach(() => {
  data = workingFolder();
});

async function during<T>(act: (rig: Rig) => Promise<T>, limits = {}): Promise<T> {
  const rig = await startRig({ ephemeral: false, data, limits });
  try {
    return await act(rig);
  } finally {
    await rig.close();
  }
}

async function addThreads({ emulator }: Rig, count: number): Promise<number> {
  for (let n = 0; n < count; n += 1) await emulator.request("/threads", { json: { metadata: { n } } });
  return (await emulator.control<{ turn: number }>("GET", "/status")).turn;
}

async function threadsAt({ emulator }: Rig, turn: number): Promise<unknown> {
  return (await emulator.at(turn).request("/threads/count", { json: {} })).json();
}

function pastFiles(): readonly string[] {
  const names = readdirSync(data, { recursive: true, encoding: "utf8" });
  return names.filter((name) => /history-\d+\.ndjson$/.test(name)).map((name) => join(data, name));
}

it("one file has the history of a world, and a start that changes nothing keeps it", async () => {
  const turn = await during((rig) => addThreads(rig, 3));
  const [file = "", another] = pastFiles();
  expect(another).toBeUndefined();
  await during(async () => undefined);
  expect(pastFiles()).toEqual([file]);
  await during(async (rig) => {
    await addThreads(rig, 2);
    expect(await threadsAt(rig, turn)).toBe(3);
  });
  expect(pastFiles()).toHaveLength(1);
  expect(await during((rig) => threadsAt(rig, turn + 1))).toBe(4);
});

it("a fork of the present or of a later turn has the history before the restart, even if it has not been read", async () => {
  const turn = await during((rig) => addThreads(rig, 3));
  const forkOf = (at?: number) =>
    during(async ({ emulator }) => {
      const fork = await emulator.fork(at === undefined ? {} : { at });
      const { history } = await fork.control<{ history: object }>("GET", "/status");
      const read = await fork.at(turn - 1).request("/threads/count", { json: {} });
      return [history, await read.json()];
    });
  const expected = [expect.objectContaining({ earliest_turn: 0 }), 2];
  expect([await forkOf(), await forkOf(turn)]).toEqual([expected, expected]);
});

it("a fork in which nothing happened keeps the history of its source over a restart", async () => {
  const turn = await during(async (rig) => {
    const last = await addThreads(rig, 3);
    await rig.emulator.fork({ id: "side" });
    return last;
  });
  const counted = await during(({ call }) => call("POST", `/w/side/threads/count?as_of=${turn - 1}`, {}));
  expect([counted.status, counted.body]).toEqual([200, 2]);
});

it("each start has its configured clock, and earlier history keeps its own", async () => {
  const modes = async ({ emulator }: Rig, turns: readonly number[]) => {
    const now = await emulator.control<{ mode: string }>("GET", "/clock");
    const then = turns.map((turn) => emulator.at(turn).control<{ mode: string }>("GET", "/clock"));
    return [now, ...(await Promise.all(then))].map(({ mode }) => mode);
  };
  const flowing = await during(async (rig) => {
    await addThreads(rig, 1);
    await rig.emulator.control("POST", "/clock/flow", { rate: 1e-9 });
    return addThreads(rig, 1);
  });
  const frozen = await during((rig) => addThreads(rig, 1));
  await during(async (rig) => {
    const fork = await rig.emulator.fork({ at: flowing });
    expect(await modes(rig, [frozen, flowing, 1])).toEqual(["frozen", "frozen", "flowing", "frozen"]);
    expect((await fork.control<{ mode: string }>("GET", "/clock")).mode).toBe("flowing");
  });
});

it("refuses damaged history with its file, and the world continues", async () => {
  const turn = await during((rig) => addThreads(rig, 3));
  const [file = ""] = pastFiles();
  writeFileSync(file, readFileSync(file, "utf8").replace("createThread", "createThreat"));
  const goesOn = async (rig: Rig) => {
    await addThreads(rig, 1);
    await expect(rig.emulator.at(turn - 1).control("GET", "/clock")).rejects.toThrow(`${file} is damaged`);
    const fork = await rig.emulator.fork();
    await expect(fork.at(turn - 1).control("GET", "/clock")).rejects.toThrow("before the history");
    await fork.close();
    return (await rig.emulator.request("/threads/count", { json: {} })).json();
  };
  expect([await during(goesOn), await during(goesOn)]).toEqual([4, 5]);
});

it("without history only the present can be read, forked and continued after a restart", async () => {
  const limits = { history_turns: 0 };
  const turn = await during((rig) => addThreads(rig, 3), limits);
  await during(async (rig) => {
    const last = await addThreads(rig, 2);
    for (const past of [turn, last - 1])
      await expect(rig.emulator.at(past).control("GET", "/clock")).rejects.toThrow("before the history");
    expect(await threadsAt(rig, last)).toBe(5);
    const fork = await rig.emulator.fork();
    expect(await (await fork.request("/threads/count", { json: {} })).json()).toBe(5);
  }, limits);
});

it("history that exceeds its limit begins later after a restart too", async () => {
  const limits = { history_turns: 10 };
  const turn = await during((rig) => addThreads(rig, 60), limits);
  await during(async (rig) => {
    await expect(rig.emulator.at(2).control("GET", "/clock")).rejects.toThrow("before the history");
    expect(await threadsAt(rig, turn - 5)).toBe(55);
  }, limits);
});
