import { bytesToRead, inBackground } from "../background.ts";
import { type JournalSegment, type Manifest, NOBODY, ownerOf } from "../pool/names.ts";

/** A state that takes the place of the journals before it. */
export interface Folded {
  /** The last segment of a journal that it contains. */
  readonly end: JournalSegment;
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
  /** Folds a manifest, whose last journal is no longer appended to, into the state `target`. */
  start(manifest: Manifest, target: string, adopt: Adopt): Promise<void>;
  /** Takes part in a fold that ends within these journals; undefined when there is none. */
  join(journals: readonly JournalSegment[], adopt: Adopt): Promise<void> | undefined;
  /** Owners in whose folders states are being written. */
  writers(): readonly number[];
}

interface UnderWay {
  readonly target: string;
  readonly end: JournalSegment;
  readonly adopters: Adopt[];
  done: Promise<void> | undefined;
}

/** `hold` keeps the files of a manifest until its answer is called. */
export function createFolds(root: string, hold: (manifest: Manifest) => () => void): Folds {
  const underWay = new Set<UnderWay>();
  return {
    start(manifest, target, adopt) {
      const written = { owner: NOBODY, state: target, journals: [], others: [ownerOf(target)] };
      const releases = [manifest, written].map(hold);
      const end = manifest.journals.at(-1) as JournalSegment;
      const fold: UnderWay = { target, end, adopters: [adopt], done: undefined };
      underWay.add(fold);
      const order = { root, manifest, target };
      fold.done = inBackground(order, bytesToRead(root, [manifest]), (owners) => {
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

/** Where among journals a segment ends; -1 when none ends like it. */
function indexOf(journals: readonly JournalSegment[], { file, bytes }: JournalSegment): number {
  return journals.findIndex((each) => each.file === file && each.bytes === bytes);
}

/** The same manifest with the state for the journals that it contains; undefined when it has them no more. */
export function manifestAfter(
  { owner, journals }: Manifest,
  { end, state, owners }: Folded,
): Manifest | undefined {
  const at = indexOf(journals, end);
  if (at < 0) return undefined;
  const rest = journals.slice(at + 1);
  return { owner, state, journals: rest, others: othersOf(owner, [ownerOf(state), ...owners], rest) };
}

/** Every owner but one itself whose files a manifest may lead to: those of its state, and those that wrote what follows. */
export function othersOf(
  owner: number,
  owners: readonly number[],
  journals: readonly JournalSegment[],
): number[] {
  const all = new Set([...owners, ...journals.map(({ file }) => ownerOf(file))]);
  all.delete(owner);
  return [...all];
}
