import type { World } from "./domain/turn.ts";
import { Refusal } from "./kernel/refusal.ts";

/** Tells of the first world that could not go on. */
export interface DefectWatch {
  /** Never settles as long as all goes well. */
  readonly first: Promise<Error>;
  watch(world: Pick<World, "journal" | "defect">): void;
}

/** Worlds end for these reasons when they are told to. */
const ORDERLY = new Set(["closing", "reset", "world_removed"]);

export function createDefectWatch(): DefectWatch {
  let tell: (defect: Error) => void = () => undefined;
  const first = new Promise<Error>((resolve) => {
    tell = resolve;
  });
  return {
    first,
    watch(world) {
      const ended = () => {
        const { defect } = world;
        if (defect && !(defect instanceof Refusal && ORDERLY.has(defect.code))) tell(defect);
      };
      world.journal.follow(() => undefined, ended);
    },
  };
}
