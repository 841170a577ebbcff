import { describe, expect, it } from "vitest";
import { startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

type Shapes = ReadonlyMap<string, ReadonlySet<string>>;

interface Comparison {
  readonly ALLOWED_DIFFERENCES: readonly { readonly paths: RegExp; readonly reason: string }[];
  differencesOf(peer: Shapes, own: Shapes): readonly { readonly path: string; readonly problem: string }[];
  shapeReport(peer: Shapes, own: Shapes): { readonly ok: boolean; readonly lines: readonly string[] };
}

const PEERS = new URL("../../bench/peers/", import.meta.url).href;
const { ALLOWED_DIFFERENCES, differencesOf, shapeReport }: Comparison = await import(`${PEERS}shapes.mjs`);
const { shapesOf }: { shapesOf(url: string): Promise<Shapes> } = await import(`${PEERS}shape-requests.mjs`);

const rig = useRig("file", () => startRig({ profile: "observed", clock: "flowing" }));

const shapes = (kinds: Readonly<Record<string, string>>): Shapes =>
  new Map(Object.entries(kinds).map(([path, kind]) => [path, new Set([kind])]));

describe("the comparison of shapes", () => {
  it("allows at most ten differences, each with a reason", () => {
    expect(ALLOWED_DIFFERENCES.length).toBeLessThanOrEqual(10);
    for (const { reason } of ALLOWED_DIFFERENCES) expect(reason).toMatch(/^[A-Z].{20,}\.$/);
  });

  it("finds missing and additional members and other kinds, but not the members inside them", () => {
    const peer = shapes({
      run: "object",
      "run.a": "object",
      "run.a.b": "string",
      "run.c": "uuid",
      "run.d": "null",
    });
    const own = shapes({
      run: "object",
      "run.c": "string",
      "run.d": "list",
      "run.e": "object",
      "run.e.f": "list",
    });
    expect(differencesOf(peer, own)).toEqual([
      { path: "run.a", problem: "missing in the emulator" },
      { path: "run.c", problem: "string in the emulator, uuid in the agent server" },
      { path: "run.e", problem: "only in the emulator" },
    ]);
  });

  it("fails for a difference that is not allowed, and for an allowed one that no longer occurs", () => {
    const { ok, lines } = shapeReport(shapes({ "run.a": "string" }), shapes({}));
    expect([ok, lines.find((line) => line.includes("not allowed"))]).toEqual([
      false,
      "  not allowed: run.a: missing in the emulator",
    ]);
    expect(lines.filter((line) => line.includes("no longer needed"))).toHaveLength(
      ALLOWED_DIFFERENCES.length,
    );
  });

  it("reads the members of every kind of reply of the emulator", async () => {
    const own = await shapesOf(rig.emulator.url);
    expect([...own.keys()]).toEqual(
      expect.arrayContaining([
        "outcome.messages[].response_metadata",
        "thread.config.configurable",
        "ended run.kwargs.config.metadata.team",
        "event tasks.metadata.run_attempt",
        "interrupted thread.interrupts.{id}[].value",
        "webhook.metadata.assistant_id",
      ]),
    );
    expect(own.get("interrupted outcome.__interrupt__[].id")).toEqual(new Set(["hash"]));
    expect(shapeReport(own, own).lines.join()).not.toContain("not allowed");
  });
});
