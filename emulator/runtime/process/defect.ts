import type { Journal } from "../../kernel/journal.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { World } from "../../subjects/turn.ts";

/** What has ended a world, and that world's last turns. */
export interface WorldDefect {
  readonly error: Error;
  readonly journal: Pick<Journal, "since">;
}

/** Reports the first world that has ended by a defect. */
export type DefectWatch = ReturnType<typeof createDefectWatch>;

/** Codes of the refusals with which a world is ended on purpose. */
const EXPECTED_END_CODES = new Set(["closing", "reset", "world_removed"]);

/** Watches worlds; the first one that ends by a defect settles `first`. */
export function createDefectWatch() {
  let report: (worldDefect: WorldDefect) => void = () => undefined;
  const first = new Promise<WorldDefect>((resolve) => {
    report = resolve;
  });
  return {
    /** Never settles while no world ends by a defect. */
    first,
    watch(world: Pick<World, "journal" | "defect">): void {
      const reportDefect = () => {
        const { defect: error, journal } = world;
        if (error && !(error instanceof Refusal && EXPECTED_END_CODES.has(error.code)))
          report({ error, journal });
      };
      world.journal.onClose(reportDefect);
    },
  };
}
