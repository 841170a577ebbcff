import { bytesToRead, inBackground } from "../background.ts";
import { type JournalSegment, type Manifest, NOBODY, ownerOf } from "../pool/names.ts";
import type { PoolNames } from "../pool/pool.ts";

/** A state that replaces the journals before it. */
export interface Folded {
  /** The last journal segment that it contains. */
  readonly end: JournalSegment;
  readonly state: string;
  /** Owners whose files it leads to. */
  readonly owners: readonly number[];
}

/** Called once; undefined when the fold failed. Identifies its world. */
type Adopt = (folded: Folded | undefined) => void;

interface FoldInProgress {
  readonly target: string;
  readonly end: JournalSegment;
  readonly adopters: Set<Adopt>;
  readonly ending: AbortController;
  result: Promise<void> | undefined;
}

/**
 * The folds in progress in a pool. A fork of a world whose journals are being folded needs no fold of its own: it shares the
 * folded journals, and can use the result even if the other world is removed.
 */
export type Folds = ReturnType<typeof createFolds>;

/** `keep` keeps the files of manifests until the returned function is called. */
export function createFolds({ root, id }: PoolNames, keep: (manifests: readonly Manifest[]) => () => void) {
  const underWay = new Set<FoldInProgress>();
  return {
    /** Folds a manifest, whose last journal is no longer appended to, into the state `target`. */
    start(manifest: Manifest, target: string, adopt: Adopt): Promise<void> {
      const folded = { owner: NOBODY, state: target, journals: [], others: [ownerOf(target)] };
      const release = keep([manifest, folded]);
      const end = manifest.journals.at(-1) as JournalSegment;
      const ending = new AbortController();
      const fold: FoldInProgress = { target, end, adopters: new Set([adopt]), ending, result: undefined };
      underWay.add(fold);
      const order = { root, id, manifest, target };
      const onEnd = (owners: readonly number[] | undefined) => {
        underWay.delete(fold);
        try {
          for (const each of fold.adopters) each(owners && { end, state: target, owners });
        } finally {
          release();
        }
      };
      fold.result = inBackground(order, bytesToRead(root, [manifest]), onEnd, ending.signal);
      return fold.result;
    },
    /** Joins a fold that ends within these journals; undefined when none does. */
    join(journals: readonly JournalSegment[], adopt: Adopt): Promise<void> | undefined {
      const fold = [...underWay].find(({ end }) => indexOf(journals, end) >= 0);
      fold?.adopters.add(adopt);
      return fold?.result;
    },
    /** A world no longer needs its fold. Ends a fold that no world needs; resolves when its thread writes no more. */
    async leave(adopt: Adopt): Promise<void> {
      const fold = [...underWay].find(({ adopters }) => adopters.delete(adopt));
      if (fold?.adopters.size !== 0) return;
      fold.ending.abort();
      await fold.result;
    },
    /** Owners in whose folders states are being written. */
    writers: (): readonly number[] => [...underWay].map(({ target }) => ownerOf(target)),
  };
}

/** The position of the journal that ends like a segment; -1 when none does. */
function indexOf(journals: readonly JournalSegment[], { file, bytes }: JournalSegment): number {
  return journals.findIndex((each) => each.file === file && each.bytes === bytes);
}

/** The manifest with the state in place of the journals that it contains; undefined when they are no longer in it. */
export function manifestAfter(
  { owner, journals }: Manifest,
  { end, state, owners }: Folded,
): Manifest | undefined {
  const at = indexOf(journals, end);
  if (at < 0) return undefined;
  const rest = journals.slice(at + 1);
  return { owner, state, journals: rest, others: othersOf(owner, [ownerOf(state), ...owners], rest) };
}

/** Every other owner whose files a manifest may lead to: the owners of its state and of the journals after it. */
export function othersOf(
  owner: number,
  owners: readonly number[],
  journals: readonly JournalSegment[],
): number[] {
  const others = new Set([...owners, ...journals.map(({ file }) => ownerOf(file))]);
  others.delete(owner);
  return [...others];
}
