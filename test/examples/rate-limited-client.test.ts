import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fetchPatiently, type Retrying, StillLimited } from "../../fixtures/examples/rate-limited-client.ts";
import { HEADERS, prepareExport, type Rig, startRig } from "../support/emulator.ts";

let rig: Rig;
let sleeps: number[];

/** Sleepers of one clock wait for one another: only one at a time may move it. */
function patience(more: Partial<Retrying> = {}): Retrying {
  let last: Promise<unknown> = Promise.resolve();
  return {
    attempts: 8,
    firstDelayMs: 500,
    maxDelayMs: 20_000,
    random: () => 0.5,
    sleep(ms) {
      sleeps.push(ms);
      last = last.then(() => rig.emulator.clock.advance(`PT${ms / 1000}S`));
      return last;
    },
    ...more,
  };
}

beforeEach(() => {
  sleeps = [];
});

afterEach(() => rig.close());

describe.each([
  ["without a word on when to come again", "none"],
  ["with Retry-After", "retry-after"],
] as const)("the client, refused %s", (_, headers) => {
  beforeEach(async () => {
    rig = await startRig({ rate_limits: { enabled: true, headers } });
  });

  it("completes forty queries under a limit of fifteen in ten seconds (§8.5)", async () => {
    const { projectId } = await prepareExport(rig);
    const init = {
      method: "POST",
      headers: HEADERS,
      body: JSON.stringify({ session: [projectId], limit: 1 }),
    };
    const retrying = patience({ attempts: 20 });
    const statuses: number[] = [];
    for (let query = 0; query < 40; query += 1)
      statuses.push((await fetchPatiently(`${rig.emulator.url}/runs/query`, init, retrying)).status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(sleeps.length).toBeGreaterThanOrEqual(2);
    if (headers === "retry-after") expect(sleeps.length).toBe(2);
  });
});

describe("the client", () => {
  beforeEach(async () => {
    rig = await startRig();
  });

  it("waits longer each time, up to a bound, and gives up at last", async () => {
    await rig.emulator.faults.arm({
      target: "http",
      match: { op: "createThread" },
      then: { status: 429 },
      times: 8,
    });
    const init = { method: "POST", headers: HEADERS, body: "{}" };
    await expect(
      fetchPatiently(`${rig.emulator.url}/threads`, init, patience({ maxDelayMs: 5_000 })),
    ).rejects.toThrow(StillLimited);
    expect(sleeps).toEqual([375, 750, 1500, 3000, 3750, 3750, 3750]);
    expect((await fetchPatiently(`${rig.emulator.url}/threads`, init, patience())).status).toBe(200);
  });

  it("does not retry a 4xx other than 429", async () => {
    const reply = await fetchPatiently(
      `${rig.emulator.url}/threads/none/runs`,
      { headers: HEADERS },
      patience(),
    );
    expect([reply.status, sleeps]).toEqual([422, []]);
  });
});
