import { type Head, NOBODY } from "./names.ts";

/** Which heads lead to which files, kept up with each change: to look at all heads would cost each of many worlds more. */
export interface Uses {
  add(head: Head): void;
  /** Answers which of its states and journals no head leads to any more. */
  remove(head: Head): readonly string[];
  /** Whether a head may lead to files of an owner. */
  isUsed(owner: number): boolean;
  /** Heads that may lead to files of one of these owners. */
  leadingTo(owners: Iterable<number>): ReadonlySet<Head>;
}

/** No head leads anywhere yet. */
export function createUses(): Uses {
  /** By number of owner, and by name of file. */
  const heads = new Map<number | string, Set<Head>>();

  function* keysOf(head: Head): Iterable<number | string> {
    yield* ownersOf(head);
    yield* recordFilesOf(head);
  }

  return {
    add(head) {
      for (const key of keysOf(head)) {
        const known = heads.get(key);
        if (known) known.add(head);
        else heads.set(key, new Set([head]));
      }
    },
    remove(head) {
      for (const key of keysOf(head)) {
        const known = heads.get(key);
        known?.delete(head);
        if (known?.size === 0) heads.delete(key);
      }
      return [...recordFilesOf(head)].filter((file) => !heads.has(file));
    },
    isUsed: (owner) => heads.has(owner),
    leadingTo: (owners) => new Set([...owners].flatMap((owner) => [...(heads.get(owner) ?? [])])),
  };
}

/** Every owner whose files a head may lead to. */
export function ownersOf({ owner, others }: Head): ReadonlySet<number> {
  const owners = new Set(others).add(owner);
  owners.delete(NOBODY);
  return owners;
}

/** The files with its records. */
export function* recordFilesOf({ state, journals, past }: Head): Iterable<string> {
  if (state !== null) yield state;
  if (past) yield past.file;
  for (const { file } of journals) yield file;
}
