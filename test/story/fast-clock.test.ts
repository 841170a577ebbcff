import { describe, expect, it } from "vitest";
import type { WorkProgress } from "../../emulator/client/views.ts";
import { startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

interface ClockReply {
  readonly now: string;
  readonly mode: string;
  readonly behind_ms: number;
}

interface Refused {
  readonly error: { readonly code: string; readonly message: string };
}

const CLOCK = "/_emulator/v1/clock";
const TEN_YEARS = { by: "P3650D" };

const rig = useRig("test", () => startRig());

const cron = (schedule: string) => rig.call("POST", "/runs/crons", { assistant_id: "echo", schedule });
const clockNow = async () => (await rig.call<ClockReply>("GET", CLOCK)).body;

/** Virtual times in ms at which crons fired. */
async function firings(): Promise<number[]> {
  const text = await (await rig.emulator.request("/_emulator/v1/journal")).text();
  const entries = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return entries.filter(({ cause }) => cause.name === "cron.fire").map(({ now }) => Date.parse(now));
}

/** Asks until time has moved on from an instant. */
async function movedOnFrom(instant: string): Promise<ClockReply> {
  for (;;) {
    const clock = await clockNow();
    if (clock.now !== instant) return clock;
  }
}

describe("an advance over more events than there is time for", () => {
  it("answers other requests, and stops at the present time when the clock is frozen", async () => {
    await cron("* * * * * *");
    const { now } = await clockNow();
    const advancing = rig.call<Refused>("POST", `${CLOCK}/advance`, TEN_YEARS);
    await movedOnFrom(now);
    const frozen = await rig.call<ClockReply>("POST", `${CLOCK}/freeze`, {});
    const { status, body } = await advancing;
    expect({ status, code: body.error.code }).toEqual({ status: 409, code: "advance_interrupted" });
    const stood = await clockNow();
    expect(body.error.message).toContain(`virtual time is ${stood.now}`);
    expect(Date.parse(stood.now) - Date.parse(frozen.body.now)).toBeLessThanOrEqual(1000);
    const fired = await firings();
    expect(fired.at(-1)).toBe(Date.parse(stood.now));
    expect(fired).toEqual(fired.map((_, nth) => (fired[0] ?? 0) + nth * 1000));
    expect((await rig.call("POST", `${CLOCK}/advance`, { next: 3 })).status).toBe(200);
  });

  it("reports its progress, and stops at the present time on request", async () => {
    await cron("* * * * * *");
    const { now } = await clockNow();
    const advancing = rig.call<Refused>("POST", `${CLOCK}/advance`, TEN_YEARS);
    await movedOnFrom(now);
    const { body } = await rig.call<WorkProgress>("GET", "/_emulator/v1/progress");
    expect(body.advance).toMatchObject({ from: now, events: null, waits_for: null });
    expect(Date.parse(body.advance?.to ?? "")).toBeGreaterThan(Date.parse(body.now));
    expect(body.advance?.fired_total).toBeGreaterThan(0);
    const stopped = await rig.call("DELETE", `${CLOCK}/advance`);
    expect(stopped.body).toMatchObject({ stopped: true });
    const ended = await advancing;
    expect(ended.body.error.message).toContain(`virtual time is ${(await clockNow()).now}`);
    expect((await rig.call<WorkProgress>("GET", "/_emulator/v1/progress")).body.advance).toBeNull();
    expect((await rig.call("DELETE", `${CLOCK}/advance`)).body).toMatchObject({ stopped: false });
    expect((await rig.call("POST", `${CLOCK}/advance`, { next: 3 })).status).toBe(200);
  });

  it.each(["", "?dry_run=1"])("ends when the emulator stops%s", async (query) => {
    await cron("* * * * * *");
    const advancing = rig.call<Refused>("POST", `${CLOCK}/advance${query}`, TEN_YEARS);
    // The advance came first, so that it has begun by then; a dry run shows that nowhere.
    for (let nth = 0; nth < 5; nth += 1) await clockNow();
    await rig.close();
    const { status, body } = await advancing;
    expect({ status, code: body.error.code }).toEqual({ status: 409, code: "advance_interrupted" });
  });
});

describe("a clock that flows faster than its events can fire", () => {
  it("answers requests at its present time, reports its delay, and freezes there", async () => {
    await cron("* * * * *");
    await rig.call("POST", `${CLOCK}/flow`, { rate: 1_000_000 });
    const status = () => rig.call<{ clock: ClockReply }>("GET", "/_emulator/v1/status");
    while ((await clockNow()).behind_ms === 0);
    expect((await status()).body.clock).toMatchObject({ mode: "flowing", behind_ms: expect.any(Number) });
    const { body } = await rig.call<ClockReply>("POST", `${CLOCK}/freeze`, {});
    expect(body.behind_ms).toBeGreaterThan(0);
    expect(await clockNow()).toMatchObject({ now: body.now, mode: "frozen", behind_ms: 0 });
    const fired = await firings();
    expect(fired).toEqual(fired.map((_, nth) => (fired[0] ?? 0) + nth * 60_000));
  });
});
