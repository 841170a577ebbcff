import { describe, expect, it } from "vitest";
import { expectRefusals, openVerbs } from "../../support/verbs.ts";

const UNKNOWN = "00000000-0000-4000-8000-00000000dead";

describe("emulator clock", () => {
  it("shows the time, moves it, and lets it flow and stand", async () => {
    const verbs = await openVerbs();
    expect(await verbs.lines("clock")).toEqual([
      "2026-03-01T00:00:00.000000Z, frozen; 0 events due, 0 effects in flight",
    ]);
    expect(await verbs.lines("clock", "advance", "6h10m")).toEqual([
      "2026-03-01T06:10:00.000000Z: 0 events fired",
    ]);
    expect(await verbs.json("clock", "advance", "PT1H", "--dry-run")).toMatchObject({ dry_run: true });
    expect(await verbs.json("clock", "until", "2026-03-02")).toMatchObject({
      from: "2026-03-01T06:10:00.000000Z",
      to: "2026-03-02T00:00:00.000000Z",
      settled: true,
    });
    expect(await verbs.json("clock", "flow", "60")).toMatchObject({ mode: "flowing", rate: 60 });
    expect(await verbs.json("clock", "freeze")).toMatchObject({ mode: "frozen" });
  });

  it("explains what an export waits for, and that a schedule does not complete", async () => {
    const verbs = await openVerbs();
    const window = ["--project", "shop", "--from", "2026-02-25", "--to", "2026-02-26"];
    await verbs.lines("traces", "generate", "--count", "5", ...window);
    await verbs.lines("fault", "arm", "worker", "--match", "run=*", "--then", "stall=3h");
    const { export: once } = await verbs.json<{ export: { id: string } }>("export", "create", ...window);
    const { code, stdout } = await verbs.run("clock", "until", once.id, "--within", "1500ms");
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^2026-03-01T00:00:01.500000Z: .*; repeat the request to continue, or give a longer --within$/m,
    );
    const { export: often } = await verbs.json<{ export: { id: string } }>(
      ...["export", "create", "--project", "shop", "--from", "2026-03-02", "--every", "6h"],
    );
    await expectRefusals(verbs, [
      [
        `clock until ${often.id}`,
        "is a schedule with interval_hours 6. A schedule never becomes COMPLETED (§3.3). Advance the clock",
      ],
      [`clock until ${often.id} failed`, "`emulator export list` lists it."],
    ]);
  });

  it("refuses invalid values, and changes nothing", async () => {
    await expectRefusals(await openVerbs(), [
      [
        "clock until 2026-02-30",
        'clock until: "2026-02-30" is not valid; give a date, a time, or an export id',
      ],
      ["clock until 2026-03-02 FAILED", 'clock until: "2026-03-02 FAILED" is not valid'],
      [
        `clock until ${UNKNOWN} DONE`,
        `clock until: "${UNKNOWN} DONE" is not valid; give a date, a time, or an export id`,
      ],
      ["clock next 0", 'clock next: "0" is not valid; give an integer from 1 to 1000000'],
      ["clock flow fast", 'clock flow: "fast" is not valid; give a rate above 0'],
      ["clock advnce 6h", "clock advnce: unknown command; did you mean advance?"],
    ]);
  });
});
