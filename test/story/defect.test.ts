import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { resolveConfiguration } from "../../emulator/config/resolve.ts";
import { type RunningEmulator, start } from "../../emulator/runtime/start.ts";
import { HEADERS } from "../support/emulator.ts";

let running: RunningEmulator;

async function open(): Promise<RunningEmulator> {
  const resolution = await resolveConfiguration({ cwd: "/", options: { port: 0, ephemeral: true } });
  if (!resolution.ok) throw new Error(resolution.problems.join("\n"));
  return start(resolution.configuration);
}

beforeEach(async () => {
  running = await open();
});

afterEach(() => running.close());

function breakWorld(): void {
  const fall = () => {
    throw new Error("fallen");
  };
  expect(() => running.world("main")?.runtime.world.turn({ type: "request", name: "test" }, fall)).toThrow(
    "fallen",
  );
}

/** What the promise has settled with by now. */
async function report({ defect } = running): Promise<Error | undefined> {
  return Promise.race([
    defect.then(({ error }) => error),
    new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined))),
  ]);
}

describe("a world with a defect", () => {
  it("is reported once, and answers every later call with the defect", async () => {
    expect(await report()).toBeUndefined();
    breakWorld();
    expect((await report())?.message).toBe("fallen");
    const reply = await fetch(`${running.ready.url}/sessions`, { headers: HEADERS });
    expect(reply.status).toBe(500);
    expect(((await reply.json()) as { detail: string }).detail).toContain("fallen");
    const journal = await fetch(`${running.ready.url}/_emulator/v1/journal`);
    expect((await journal.text()).split("\n").length).toBeGreaterThan(1);
  });

  it("is reported when a reset meets it; the reset itself is not", async () => {
    await fetch(`${running.ready.url}/_emulator/v1/reset`, { method: "POST" });
    expect(await report()).toBeUndefined();
    breakWorld();
    expect((await report())?.message).toBe("fallen");
  });

  it("is reported with its own last turns when it is one of several", async () => {
    const worlds = `${running.ready.url}/_emulator/v1/worlds`;
    await fetch(worlds, { method: "POST", body: JSON.stringify({ id: "other" }) });
    const world = running.world("other")?.runtime.world;
    const act = () =>
      world?.turn({ type: "request", name: "fall" }, () => {
        throw new Error("fallen in another world");
      });
    world?.turn({ type: "control", name: "the last one" }, () => undefined);
    expect(act).toThrow("fallen in another world");
    const { error, journal } = await running.defect;
    expect(error.message).toBe("fallen in another world");
    expect(journal.since(0).at(-1)?.cause.name).toBe("the last one");
  });

  it("is not reported for a world that is removed", async () => {
    const worlds = `${running.ready.url}/_emulator/v1/worlds`;
    const reply = await fetch(worlds, { method: "POST", body: JSON.stringify({ id: "other" }) });
    expect(reply.status).toBe(200);
    expect((await fetch(`${worlds}/other`, { method: "DELETE" })).status).toBe(200);
    expect(await report()).toBeUndefined();
  });

  it("is not reported for an emulator that is closed", async () => {
    const other = await open();
    await other.close();
    expect(await report(other)).toBeUndefined();
  });
});
