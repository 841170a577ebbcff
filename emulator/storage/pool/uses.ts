import { endFileOf } from "../journal/journal.ts";
import { type Manifest, NOBODY } from "./names.ts";

/** Which manifests lead to which files. It is updated with each change, since a search of all manifests would slow down many worlds. */
export function createUses() {
  /** By owner, and by file name. */
  const manifests = new Map<number | string, Set<Manifest>>();

  function* keysOf(manifest: Manifest): Iterable<number | string> {
    yield* ownersOf(manifest);
    yield* recordFilesOf(manifest);
  }

  return {
    add(manifest: Manifest): void {
      for (const key of keysOf(manifest)) {
        const users = manifests.get(key);
        if (users) users.add(manifest);
        else manifests.set(key, new Set([manifest]));
      }
    },
    /** Returns the states, histories and journals that no manifest leads to any longer. */
    remove(manifest: Manifest): readonly string[] {
      for (const key of keysOf(manifest)) {
        const users = manifests.get(key);
        users?.delete(manifest);
        if (users?.size === 0) manifests.delete(key);
      }
      return [...recordFilesOf(manifest)].filter((file) => !manifests.has(file));
    },
    /** Whether a manifest may lead to files of an owner. */
    isUsed: (owner: number): boolean => manifests.has(owner),
    /** Manifests that may lead to files of one of these owners. */
    leadingTo: (owners: Iterable<number>): ReadonlySet<Manifest> =>
      new Set([...owners].flatMap((owner) => [...(manifests.get(owner) ?? [])])),
  };
}

/** Every owner whose files a manifest may lead to. */
export function ownersOf({ owner, others }: Manifest): ReadonlySet<number> {
  const owners = new Set(others).add(owner);
  owners.delete(NOBODY);
  return owners;
}

/** The files with the records and the history of a manifest. */
export function* recordFilesOf({ state, journals, history }: Manifest): Iterable<string> {
  if (state !== null) yield state;
  if (history) yield history.file;
  for (const { file, isBegun } of journals) yield* isBegun ? [file, endFileOf(file)] : [file];
}
