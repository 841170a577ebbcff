import type { Journal } from "../kernel/journal.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { World } from "../subjects/turn.ts";

/** What has ended a world, and that world's last turns. */
export interface Breakdown {
  readonly error: Error;
  readonly journal: Pick<Journal, "since">;
}

/** Tells of the first world that could not go on. */
export interface DefectWatch {
  /** Never settles as long as all goes well. */
  readonly first: Promise<Breakdown>;
  watch(world: Pick<World, "journal" | "defect">): void;
}

/** Worlds end for these reasons when they are told to. */
const ORDERLY = new Set(["closing", "reset", "world_removed"]);

/** Watches worlds; the first one that breaks is told of. */
export function createDefectWatch(): DefectWatch {
  let tell: (breakdown: Breakdown) => void = () => undefined;
  const first = new Promise<Breakdown>((resolve) => {
    tell = resolve;
  });
  return {
    first,
    watch(world) {
      const ended = () => {
        const { defect: error, journal } = world;
        if (error && !(error instanceof Refusal && ORDERLY.has(error.code))) tell({ error, journal });
      };
      world.journal.follow(() => undefined, ended);
    },
  };
}
