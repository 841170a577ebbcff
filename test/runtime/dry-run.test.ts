import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { emptyState } from "../../emulator/kernel/commit.ts";
import { imageOf } from "../../emulator/kernel/image.ts";
import { createWorld, type WorldParts } from "../../emulator/kernel/world.ts";
import { dryRun, STUBBED_EFFECTS } from "../../emulator/runtime/dry-run.ts";
import type { Ports } from "../../emulator/subjects/turn.ts";
import { DEFAULTS } from "../subjects/bulk-exports/bulk-export-world.ts";

const EMULATOR = fileURLToPath(new URL("../../emulator", import.meta.url));

/** The effects of all subjects. */
function sources(): string[] {
  return readdirSync(join(EMULATOR, "subjects"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => /\/effects(\/[^/]+)?\.ts$/.test(path))
    .map((path) => readFileSync(path, "utf8"));
}

function partsOf(reaction: WorldParts<Ports>["reactions"]): WorldParts<Ports> {
  const settings = {
    ...DEFAULTS,
    timings: { ...DEFAULTS.timings, effect_patience_ms: 50 },
  };
  return {
    ports: { settings, traces: {} } as unknown as Ports,
    image: imageOf(emptyState(1, 0, { mode: "frozen", rate: 1 }), []),
    reactions: { ...reaction, done: () => undefined },
    effects: { unheard: () => new Promise(() => undefined) },
    persist: () => undefined,
    journalCapacity: 10,
  };
}

const ask = (kind: string) => ({ kind, ref: "it", lane: "lane", then: "done", data: {} });
const CAUSE = { type: "control", name: "test" } as const;

describe("a rehearsal", () => {
  it("has a pretence for everything that is asked of the outside world", () => {
    const kinds = new Set<string>();
    for (const text of sources())
      for (const [, kind = ""] of text.matchAll(/async "([a-z_]+\.[a-z_]+)"\(/g)) kinds.add(kind);
    expect([...kinds].sort()).toEqual(
      expect.arrayContaining(["destination.validate", "export.write_file", "webhook.post"]),
    );
    for (const kind of kinds) expect(Object.keys(STUBBED_EFFECTS)).toContain(kind);
  });

  it("names what it has no pretence for as what it could not get past", async () => {
    const parts = partsOf({ go: (turn) => turn.requestEffect(ask("unheard")) });
    const world = createWorld(parts);
    world.turn(CAUSE, (turn) => turn.schedule({ kind: "go", ref: "it", afterMs: 10 }));
    const said = await dryRun(world, (image) => ({ ...parts, image }), { to: 100 });
    expect(said).toMatchObject({ stopped: "stalled", to: 10, inFlight: [{ kind: "unheard" }] });
    expect(world.now).toBe(0);
    expect(world.queue()).toHaveLength(1);
  });

  it("does not begin while something of this instant is under way", async () => {
    const parts = partsOf({});
    const world = createWorld(parts);
    world.turn(CAUSE, (turn) => turn.requestEffect(ask("unheard")));
    const refused = dryRun(world, (image) => ({ ...parts, image }), { to: 100 });
    await expect(refused).rejects.toMatchObject({ status: 409, code: "in_flight" });
  });
});
