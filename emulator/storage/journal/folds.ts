import { emptyState } from "../../kernel/commit.ts";
import { bytesToRead, inBackground } from "../background.ts";
import { type Head, NOBODY, ownerOf, type Stretch } from "../pool/names.ts";

/** A state that takes the place of the journals before it. */
export interface Folded {
  /** The last stretch of a journal that it contains. */
  readonly end: Stretch;
  readonly state: string;
  /** Owners whose files it leads to. */
  readonly owners: readonly number[];
}

/** Called once; undefined when the fold failed. */
type Adopt = (folded: Folded | undefined) => void;

/**
 * The folds under way in a pool. A world that was forked from one whose journals are just being folded needs no fold of
 * its own: what is folded is a part of what it goes on from, whatever becomes of the other world meanwhile.
 */
export interface Folds {
  /** Folds a head, whose last journal is no longer appended to, into the state `target`. */
  start(head: Head, target: string, adopt: Adopt): Promise<void>;
  /** Takes part in a fold that ends within these journals; undefined when there is none. */
  join(journals: readonly Stretch[], adopt: Adopt): Promise<void> | undefined;
  /** Owners in whose folders states are being written. */
  writers(): readonly number[];
}

interface UnderWay {
  readonly target: string;
  readonly end: Stretch;
  readonly adopters: Adopt[];
  done: Promise<void> | undefined;
}

/** `hold` keeps the files of a head until its answer is called. */
export function createFolds(root: string, hold: (head: Head) => () => void): Folds {
  const underWay = new Set<UnderWay>();
  return {
    start(head, target, adopt) {
      const written = { owner: NOBODY, state: target, journals: [], others: [ownerOf(target)] };
      const releases = [head, written].map(hold);
      const initial = emptyState(0, 0, { mode: "frozen", rate: 1 });
      const end = head.journals.at(-1) as Stretch;
      const fold: UnderWay = { target, end, adopters: [adopt], done: undefined };
      underWay.add(fold);
      const order = { root, head, initial, target };
      fold.done = inBackground(order, bytesToRead(root, [head]), (owners) => {
        underWay.delete(fold);
        try {
          for (const each of fold.adopters) each(owners && { end, state: target, owners });
        } finally {
          for (const release of releases) release();
        }
      });
      return fold.done;
    },
    join(journals, adopt) {
      const found = [...underWay].find(({ end }) => indexOf(journals, end) >= 0);
      found?.adopters.push(adopt);
      return found?.done;
    },
    writers: () => [...underWay].map(({ target }) => ownerOf(target)),
  };
}

/** Where among journals a stretch ends; -1 when none ends like it. */
function indexOf(journals: readonly Stretch[], { file, bytes }: Stretch): number {
  return journals.findIndex((each) => each.file === file && each.bytes === bytes);
}

/** The same head with the state for the journals that it contains; undefined when it has them no more. */
export function headAfter({ owner, journals }: Head, { end, state, owners }: Folded): Head | undefined {
  const at = indexOf(journals, end);
  if (at < 0) return undefined;
  const rest = journals.slice(at + 1);
  return { owner, state, journals: rest, others: othersOf(owner, [ownerOf(state), ...owners], rest) };
}

/** Every owner but one itself whose files a head may lead to: those of its state, and those that wrote what follows. */
export function othersOf(owner: number, owners: readonly number[], journals: readonly Stretch[]): number[] {
  const all = new Set([...owners, ...journals.map(({ file }) => ownerOf(file))]);
  all.delete(owner);
  return [...all];
}
