import { type Manifest, NOBODY } from "./names.ts";

/** Which manifests lead to which files, kept up with each change: to look at all manifests would cost each of many worlds more. */
export interface Uses {
  add(manifest: Manifest): void;
  /** Answers which of its states and journals no manifest leads to any more. */
  remove(manifest: Manifest): readonly string[];
  /** Whether a manifest may lead to files of an owner. */
  isUsed(owner: number): boolean;
  /** Manifests that may lead to files of one of these owners. */
  leadingTo(owners: Iterable<number>): ReadonlySet<Manifest>;
}

/** No manifest leads anywhere yet. */
export function createUses(): Uses {
  /** By number of owner, and by name of file. */
  const manifests = new Map<number | string, Set<Manifest>>();

  function* keysOf(manifest: Manifest): Iterable<number | string> {
    yield* ownersOf(manifest);
    yield* recordFilesOf(manifest);
  }

  return {
    add(manifest) {
      for (const key of keysOf(manifest)) {
        const known = manifests.get(key);
        if (known) known.add(manifest);
        else manifests.set(key, new Set([manifest]));
      }
    },
    remove(manifest) {
      for (const key of keysOf(manifest)) {
        const known = manifests.get(key);
        known?.delete(manifest);
        if (known?.size === 0) manifests.delete(key);
      }
      return [...recordFilesOf(manifest)].filter((file) => !manifests.has(file));
    },
    isUsed: (owner) => manifests.has(owner),
    leadingTo: (owners) => new Set([...owners].flatMap((owner) => [...(manifests.get(owner) ?? [])])),
  };
}

/** Every owner whose files a manifest may lead to. */
export function ownersOf({ owner, others }: Manifest): ReadonlySet<number> {
  const owners = new Set(others).add(owner);
  owners.delete(NOBODY);
  return owners;
}

/** The files with its records. */
export function* recordFilesOf({ state, journals, history: past }: Manifest): Iterable<string> {
  if (state !== null) yield state;
  if (past) yield past.file;
  for (const { file } of journals) yield file;
}
