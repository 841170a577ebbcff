import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type Addresses,
  createAddressTarget,
  runContracts,
  suite,
  type Target,
} from "../../../contracts/index.ts";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../../emulator/runtime/index.ts";

const NOW = "2026-03-02T00:00:00Z";
/** They move time, ingest rows, write files, create worlds and snapshots, and call the other region. */
const SELECTED = [
  "1/both-regions",
  "1/separate-regions",
  "3.3",
  "4.3",
  "X/worlds",
  "X/snapshots",
  "X/verification",
];

/** Of them those that ask in the other region, and make worlds and snapshots. */
const SOME = ["1/separate-regions", "X/worlds"];

let emulator: Emulator;
let target: Target | undefined;

async function restarted(options: EmulatorOptions = {}): Promise<void> {
  await emulator?.close();
  emulator = await startEmulator({ clock: "frozen", now: NOW, ...options });
}

beforeEach(() => restarted());

afterEach(async () => {
  await target?.close();
  target = undefined;
  await emulator.close();
});

async function opened(more: Partial<Addresses> = {}): Promise<Target> {
  target = await createAddressTarget({
    url: emulator.url,
    euUrl: emulator.euUrl,
    allowWrites: false,
    ...more,
  });
  return target;
}

/** Everything that a run could leave behind in the world that a user works with. */
async function stateOf(world: Pick<Emulator, "control" | "url">) {
  const paths = ["/status", "/clock", "/s3/buckets", "/faults", "/agent/scripts", "/snapshots"];
  const parts = await Promise.all(paths.map((path) => world.control<unknown>("GET", path)));
  const journal = await (await fetch(`${world.url}/_emulator/v1/journal`)).text();
  return { parts, journal };
}

const worlds = async () =>
  (await emulator.control<readonly { readonly id: string }[]>("GET", "/worlds")).map(({ id }) => id);

describe("a run against an emulator that is at work", () => {
  it("runs in a separate world, and leaves the emulator unchanged", async () => {
    const headers = { "content-type": "application/json" };
    await emulator.request("/threads", { method: "POST", headers, body: "{}" });
    const before = await stateOf(emulator);
    const run = await runContracts(await opened(), { select: SELECTED, oracle: false });
    expect(run.results.filter(({ verdict }) => verdict !== "PASS").map(({ id }) => id)).toEqual([]);
    expect(run.results.length).toBeGreaterThan(10);
    expect(await worlds()).toEqual(["main", expect.stringMatching(/^contract-[a-z]+$/)]);
    await target?.close();
    expect(await worlds()).toEqual(["main"]);
    expect(await stateOf(emulator)).toEqual(before);
  });

  it("lets time flow on in the main world while its own stands still", async () => {
    await restarted({ clock: "flowing" });
    const modes = suite({
      "X/mode": {
        title: "time stands still",
        requirements: ["X-2"],
        needs: ["clock"],
        async run(t) {
          const { mode } = await t.control("GET", "/clock");
          t.fact("X-2", mode === "frozen", "in the world of the run", { actual: mode });
          const main = await emulator.control<{ readonly mode: string }>("GET", "/clock");
          t.fact("X-2", main.mode === "flowing", "and not in the main one", { actual: main });
        },
      },
    });
    const { results } = await runContracts(await opened(), { cases: modes, oracle: false });
    expect(results[0]?.findings).toEqual([]);
  });

  it("checks the world of an address or a name in its present state", async () => {
    const clock = () => emulator.control<{ readonly now: string }>("GET", "/clock");
    const { id } = await emulator.control<{ readonly id: string }>("POST", "/worlds", { id: "mine" });
    const before = await clock();
    for (const input of [
      { url: `${emulator.url}/w/${id}` },
      { url: `${emulator.url}/w/${id}`, euUrl: `${emulator.euUrl}/w/${id}` },
      { world: id },
    ]) {
      const run = await runContracts(await opened(input), { select: SOME, oracle: false });
      expect(run.results.filter(({ verdict }) => verdict !== "PASS").map(({ id: name }) => name)).toEqual([]);
      expect(await worlds()).toEqual(["main", id]);
      await target?.close();
    }
    expect(await worlds()).toEqual(["main", id]);
    expect(await clock()).toEqual(before);
    await runContracts(await opened({ world: "main" }), { select: ["3.3"], oracle: false });
    expect(Date.parse((await clock()).now)).toBeGreaterThan(Date.parse(before.now));
    expect(await worlds()).toEqual(["main", id]);
  });

  it("says what is wrong with a world or an address, and leaves no world behind", async () => {
    const expectRefusal = (more: Partial<Addresses>) => expect(opened(more)).rejects;
    await expectRefusal({ world: "nobody" }).toThrow(
      /world nobody does not exist.*POST \/_emulator\/v1\/worlds/,
    );
    await expectRefusal({ url: `${emulator.url}/w/nobody` }).toThrow(/world nobody does not exist/);
    await expectRefusal({ url: `${emulator.url}/w/mine`, world: "main" }).toThrow(
      /main and mine are different worlds/,
    );
    await expectRefusal({ euUrl: "http://127.0.0.1:9" }).toThrow(
      /:9 is not the EU address of the emulator at .*emulator status/,
    );
    await expectRefusal({ assistant: "nobody" }).toThrow(/no assistant is named nobody/);
    expect(await worlds()).toEqual(["main"]);
    await restarted({ limits: { worlds: 1 } });
    await expectRefusal({}).toThrow(/1 worlds exist.*DELETE.*--world main/);
    await runContracts(await opened({ world: "main" }), { select: ["4.3/create"], oracle: false });
  });

  it("asks an agent server at its own address in that world too", async () => {
    await opened({ agentUrl: emulator.url });
    const run = await runContracts(target as Target, { select: ["4.1/limit-default"], oracle: false });
    expect(run.results.map(({ verdict }) => verdict)).toEqual(["PASS"]);
    const threads = await emulator.request("/threads/count", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    expect(await threads.json()).toBe(0);
  });
});
