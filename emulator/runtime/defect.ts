import type { Journal } from "../kernel/journal.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { World } from "../subjects/turn.ts";

/** What has ended a world, and that world's last turns. */
export interface WorldDefect {
  readonly error: Error;
  readonly journal: Pick<Journal, "since">;
}

/** Tells of the first world that could not go on. */
export interface DefectWatch {
  /** Never settles as long as all goes well. */
  readonly first: Promise<WorldDefect>;
  watch(world: Pick<World, "journal" | "defect">): void;
}

/** Worlds end for these reasons when they are told to. */
const EXPECTED_END_CODES = new Set(["closing", "reset", "world_removed"]);

/** Watches worlds; the first one that breaks is told of. */
export function createDefectWatch(): DefectWatch {
  let report: (worldDefect: WorldDefect) => void = () => undefined;
  const first = new Promise<WorldDefect>((resolve) => {
    report = resolve;
  });
  return {
    first,
    watch(world) {
      const ended = () => {
        const { defect: error, journal } = world;
        if (error && !(error instanceof Refusal && EXPECTED_END_CODES.has(error.code)))
          report({ error, journal });
      };
      world.journal.follow(() => undefined, ended);
    },
  };
}
