import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { attachedEmulator } from "../../../emulator/entries/fixtures/attached.ts";
import { MATCHERS } from "../../../emulator/entries/fixtures/matchers.ts";
import { type Emulator, startEmulator } from "../../../emulator/runtime/index.ts";

const THREADS = "/threads/count";
const count = async (emulator: Emulator) => (await emulator.request(THREADS, { json: {} })).json();
const addThread = (emulator: Emulator) => emulator.request("/threads", { json: {} });

describe("fixtures of another process", () => {
  let running: Emulator;
  const attach = async (options = {}) => {
    const attached = await attachedEmulator(running.url, options);
    if (!attached) throw new Error("The options do not suit a world.");
    return attached;
  };
  const worlds = async () => (await running.control("GET", "/worlds")).map(({ id }) => id);

  beforeAll(async () => {
    running = await startEmulator({ clock: "frozen", now: "2026-01-01T00:00:00Z" });
  });
  afterAll(() => running.close());

  it("have a world of their own, which close removes", async () => {
    const [one, other] = [await attach(), await attach()];
    await addThread(one);
    expect([await count(one), await count(other), await count(running)]).toEqual([1, 0, 0]);
    expect(await worlds()).toEqual(expect.arrayContaining([one.world, other.world]));
    await Promise.all([one.close(), other.close()]);
    expect(await worlds()).toEqual(["main"]);
    await expect(count(one)).rejects.toThrow(`The world ${one.world} was closed`);
  });

  it("have the requested seed and time, and forks of the initial and the current state", async () => {
    const main = await attach({ seed: 7, now: "2027-05-05T00:00:00Z", clock: "frozen" });
    await addThread(main);
    await main.clock.advance("P1D");
    expect([main.seed, main.clock.now()]).toEqual([7, "2027-05-06T00:00:00.000000Z"]);
    const seeded = await main.fork({ from: "seeded", id: "a" });
    const copy = await main.fork({ from: "main", id: "b" });
    expect([seeded.seed, await count(seeded), seeded.clock.now()]).toEqual([
      7,
      0,
      "2027-05-05T00:00:00.000000Z",
    ]);
    expect([await count(copy), copy.clock.now()]).toEqual([1, main.clock.now()]);
    expect(copy.world).toBe(`${main.world}-b`);
    for (const each of [seeded, copy, main]) await each.close();
  });

  it("answer like an emulator of this process", async () => {
    const emulator = await attach();
    const reply = await addThread(emulator);
    expect(await MATCHERS.toMatchContract(reply)).toMatchObject({ pass: true });
    await expect(emulator.control("POST", "/clock/advance", { by: "PT1H" })).resolves.toBeDefined();
    expect(emulator.clock.now()).toBe("2026-01-01T01:00:00.000000Z");
    expect(await (await emulator.at(0).request(THREADS, { json: {} })).json()).toBe(0);
    expect((await emulator.request("/ok", { region: "eu" })).status).toBe(200);
    await emulator.close();
  });

  it("start their own emulator for other options", async () => {
    expect(await attachedEmulator(running.url, { rateLimits: "on" })).toBeUndefined();
    expect(await attachedEmulator(running.url, { clock: { rate: 60 } })).toBeUndefined();
    expect(await worlds()).toEqual(["main"]);
  });
});
