import type { BodyKeeper } from "../../subjects/object-storage/staged.ts";
import type { ObjectPlace } from "./body-name.ts";

/** What turns have said of bodies, until they are kept. */
export interface PendingBodies extends BodyKeeper {
  /** Does it, now that the turns are kept. */
  carryOut(): void;
}

/** The operations on bodies, and the callback for pending ones. */
export interface PendingBodiesOptions {
  /** A record names the body: from here on it stays. */
  readonly settle: (file: string) => void;
  readonly show: (place: ObjectPlace) => void;
  readonly drop: (files: readonly string[], place?: ObjectPlace) => void;
  readonly changed: () => void;
}

/** Inside a turn nothing is touched on disk: a turn that was not kept has changed nothing there. */
export function createPendingBodies({ settle, show, drop, changed }: PendingBodiesOptions): PendingBodies {
  const pending: (() => void)[] = [];
  return {
    keep(file, place) {
      settle(file);
      if (place) pending.push(() => show(place));
      changed();
    },
    drop(files, place) {
      pending.push(() => drop(files, place));
      changed();
    },
    carryOut() {
      for (const change of pending.splice(0)) change();
    },
  };
}
