import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { duration } from "../../emulator/config/kinds.ts";
import { parseDuration } from "../../emulator/kernel/duration.ts";
import { readScenario } from "../../scenarios/document.ts";
import { run } from "../support/command-line.ts";
import { BEGIN, startExportRig } from "../support/emulator.ts";
import { workingFolder } from "../support/emulator-process.ts";
import { useRig } from "../support/use-rig.ts";

/** `test/python/test_fixtures.py` reads the same table. */
const TABLE: { readonly valid: Readonly<Record<string, number>>; readonly invalid: readonly string[] } =
  JSON.parse(readFileSync(new URL("durations.json", import.meta.url), "utf8"));

const rig = useRig("file", () => startExportRig());
const settings = duration();

/** The ways to give a duration; each resolves with its milliseconds, or undefined if it is refused. */
const WAYS: Readonly<Record<string, (text: string) => Promise<number | undefined>>> = {
  parser: async (text) => parseDuration(text),
  setting: async (text) => settings.read(text),
  "schema of the settings": async (text) =>
    new RegExp(settings.schema.pattern as string).test(text) ? parseDuration(text) : undefined,
  HTTP: (text) => foreseen({ by: text }),
  "TypeScript library": async (text) => {
    const world = await rig.emulator.fork();
    const moved = await world.clock.advance(text).catch(() => undefined);
    await world.close();
    return moved && Date.parse(moved.to) - Date.parse(moved.from);
  },
  "command line": async (text) => {
    const words = ["clock", "advance", text, "--dry-run", "--json", "--url", rig.emulator.url];
    const { code, stdout } = await run(words, { cwd: workingFolder() });
    if (code !== 0) return undefined;
    const { from, to } = JSON.parse(stdout);
    return Date.parse(to) - Date.parse(from);
  },
  scenario: async (text) => {
    const file = join(workingFolder(), "d.scenario.yaml");
    writeFileSync(file, `scenario: A step.\nwhen:\n  - advance: ${JSON.stringify(text)}\n`);
    try {
      return parseDuration(
        String(((readScenario(file).steps[0]?.given ?? {}) as { advance?: string }).advance),
      );
    } catch {
      return undefined;
    }
  },
  "fault that expires": async (text) => {
    const { body } = await rig.call<{ expires_at?: string }>("POST", "/_emulator/v1/faults", {
      preset: "worker_crash",
      ttl: text,
      optional: true,
    });
    await rig.call("DELETE", "/_emulator/v1/faults");
    return body.expires_at === undefined ? undefined : Date.parse(body.expires_at) - Date.parse(BEGIN);
  },
  "agent script": async (text) => {
    const order = { then: { status: "success", after: text } };
    const { body } = await rig.call<{ then?: { after: string } }>(
      "POST",
      "/_emulator/v1/agent/scripts",
      order,
    );
    return body.then && parseDuration(body.then.after);
  },
};

async function foreseen(target: Record<string, unknown>): Promise<number | undefined> {
  const { status, body } = await rig.call<{ to: string; from: string }>(
    "POST",
    "/_emulator/v1/clock/advance?dry_run=1",
    target,
  );
  return status === 200 ? Date.parse(body.to) - Date.parse(body.from) : undefined;
}

describe.each(Object.entries(WAYS))("a duration for the %s", (_, millisecondsOf) => {
  it("has the same length in every spelling, and the same texts are refused", async () => {
    const texts = [...Object.keys(TABLE.valid), ...TABLE.invalid];
    const lengths: Record<string, number | undefined> = {};
    for (const text of texts) lengths[text] = await millisecondsOf(text);
    expect(lengths).toEqual({
      ...TABLE.valid,
      ...Object.fromEntries(TABLE.invalid.map((text) => [text, undefined])),
    });
  });
});

describe("until", () => {
  const DAY_MS = 86_400_000;

  /** Both spellings of each end; the milliseconds that the clock moves. */
  async function ends(): Promise<
    readonly (readonly [text: string, body: Record<string, unknown>, ms: number])[]
  > {
    const id = await rig.createExportId();
    return [
      ["2026-03-02", { to: "2026-03-02T00:00:00Z" }, DAY_MS],
      ["2026-03-02T00:00:00Z", { to: "2026-03-02T00:00:00Z" }, DAY_MS],
      [`${id} running`, { until: { export: id, status: "RUNNING" } }, 1000],
      [id, { until: { export: id } }, 2000],
      [`${id} COMPLETED`, { until: { export: id, status: "COMPLETED" } }, 2000],
    ];
  }

  it("is a date, a time, or an export with or without a status, in each of the ways", async () => {
    const url = rig.emulator.url;
    const file = join(workingFolder(), "u.scenario.yaml");
    for (const [text, body, ms] of await ends()) {
      expect([text, await foreseen(body)]).toEqual([text, ms]);
      expect([text, await foreseen({ until: text })]).toEqual([text, ms]);
      const world = await rig.emulator.fork();
      const moved = await world.clock.advanceUntil(...(text.split(" ") as [string, string?]));
      expect([text, Date.parse(moved.to) - Date.parse(BEGIN)]).toEqual([text, ms]);
      await world.close();
      const words = ["clock", "until", ...text.split(" "), "--dry-run", "--json", "--url", url];
      const { code, stdout } = await run(words, { cwd: workingFolder() });
      expect([text, code, Date.parse(JSON.parse(stdout).to) - Date.parse(BEGIN)]).toEqual([text, 0, ms]);
      writeFileSync(file, `scenario: A step.\nwhen:\n  - advance: { until: "${text}" }\n`);
      expect(readScenario(file).steps).toHaveLength(1);
    }
  });

  it("plays in a scenario", async () => {
    const file = join(workingFolder(), "u.scenario.yaml");
    writeFileSync(
      file,
      `scenario: An export.
now: 2026-03-01T00:00:00Z
when:
  - advance: { until: 2026-03-02 }
  - advance: { until: "2026-03-03T00:00:00Z" }
    expect: { body: { to: "2026-03-03T00:00:00.000000Z" } }
`,
    );
    const { code, stdout } = await run(["replay", file], { cwd: workingFolder() });
    expect([code, stdout]).toEqual([0, expect.stringContaining("1 passed")]);
  });

  it.each(["tomorrow", "2026-02-30", "00000000-0000-4000-8000-00000000dead DONE", "2026-03-02 FAILED"])(
    "refuses %s in each of the ways, and says what it may be",
    async (text) => {
      const forms = "a date, a time, or an export id and optionally a status (CREATED, ";
      await expect(rig.emulator.clock.advance({ until: text })).rejects.toThrow(forms);
      const { code, stderr } = await run(["clock", "until", ...text.split(" "), "--url", rig.emulator.url], {
        cwd: workingFolder(),
      });
      expect([code, stderr]).toEqual([2, expect.stringContaining(forms)]);
      const file = join(workingFolder(), "u.scenario.yaml");
      writeFileSync(file, `scenario: A step.\nwhen:\n  - advance: { until: "${text}" }\n`);
      expect(() => readScenario(file)).toThrow(forms);
    },
  );
});
