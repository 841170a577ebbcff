import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ObjectFiles,
  openObjectFiles,
  type Place,
} from "../../emulator/storage/objects/object-files.ts";
import { trouble } from "../../emulator/subjects/object-storage/errors.ts";
import type { BodyFile } from "../../emulator/subjects/object-storage/records.ts";
import type { Reader } from "../../emulator/subjects/turn.ts";

/** What one world's records say, and what its bodies should be: a fork copies all of it. */
interface Told {
  readonly buckets: Set<string>;
  /** By bucket and key. */
  readonly objects: Map<string, BodyFile>;
  readonly uploads: Set<string>;
  /** By upload and part number. */
  readonly parts: Map<string, BodyFile>;
  /** What should be read under the name of a file. */
  readonly bodies: Map<string, string>;
}

/** One world of the forest. */
export interface Tree {
  readonly told: Told;
  readonly files: ObjectFiles;
  readonly folder: string;
  /** Nearest first; one of them moves when the world it belongs to is reset. */
  bases: readonly string[];
}

/** How far a step gets before the process ends. */
export type Crash = "after the records" | "before the records";

/** Worlds with nothing but records and bodies, which fork, end and restart. */
export interface Forest {
  readonly root: string;
  readonly trees: readonly Tree[];
  put(at: number, bucket: string, key: string, body: string, crash?: Crash): void;
  /** A put that the world refuses. */
  refuse(at: number, bucket: string, key: string, body: string): void;
  remove(at: number, bucket: string, key: string, crash?: Crash): void;
  removeBucket(at: number, bucket: string, crash?: Crash): Promise<void>;
  putPart(at: number, uploadId: string, partNumber: number, body: string, crash?: Crash): void;
  removeUpload(at: number, uploadId: string, crash?: Crash): void;
  fork(at: number): void;
  /** The world starts anew in an empty folder; those forked from it go on reading the old one. */
  reset(at: number): void;
  /** The world goes, and its folder as soon as nothing reads through it. */
  end(at: number): void;
  /** The process ends and starts again. */
  restart(): void;
  /** Every body that a record of any world knows, as it is read. */
  read(): readonly Readonly<Record<string, string | undefined>>[];
  /** What `read` should give. */
  expected(): readonly Readonly<Record<string, string | undefined>>[];
  clear(): void;
}

export function openForest(): Forest {
  const root = fs.mkdtempSync(join(tmpdir(), "forest-"));
  const folders = new Set<string>();
  let trees: Tree[] = [];
  let serial = 0;

  function nextFolder(): string {
    serial += 1;
    const folder = join(root, `f${serial}`);
    folders.add(folder);
    return folder;
  }

  function plant(told: Told, folder: string, bases: readonly string[], boot?: number): Tree {
    const around = { bases };
    const files = openObjectFiles({
      folder,
      bases: () => around.bases,
      heirs: () => heirsOf(trees, folder),
      ...(boot !== undefined && { boot }),
    });
    return Object.assign(around, { told, files, folder });
  }

  function treeAt(at: number): Tree {
    return trees[at % trees.length] as Tree;
  }

  function publish(tree: Tree, place: Place, body: string, crash?: Crash): BodyFile | undefined {
    const stage = tree.files.stage();
    stage.writeWhole(Buffer.from(body));
    let published: BodyFile | undefined;
    try {
      tree.files.publish(stage, place, (file) => {
        if (crash !== "before the records") published = file;
        if (crash) throw new Error("the process ends here");
        return file;
      });
    } catch (error) {
      if (!crash) throw error;
    }
    return published;
  }

  function sweepFolders(): void {
    const used = new Set(trees.flatMap(({ folder, bases }) => [folder, ...bases]));
    for (const folder of folders) {
      if (!used.has(folder)) fs.rmSync(folder, { recursive: true, force: true });
    }
  }

  function restart(): void {
    trees = trees.map(({ told, folder, bases }) => plant(told, folder, bases));
    for (const { files, told } of trees) files.recover(readerOf(told));
  }

  const forest: Forest = {
    root,
    get trees() {
      return trees;
    },
    put(at, bucket, key, body, crash) {
      const { told } = treeAt(at);
      const file = publish(treeAt(at), { bucket, key }, body, crash);
      if (file) {
        told.buckets.add(bucket);
        told.objects.set(`${bucket}/${key}`, file);
        told.bodies.set(file.file, body);
      }
      if (crash) restart();
    },
    refuse(at, bucket, key, body) {
      const { files } = treeAt(at);
      const stage = files.stage();
      stage.writeWhole(Buffer.from(body));
      files.publish(stage, { bucket, key }, () => trouble("PreconditionFailed"));
    },
    remove(at, bucket, key, crash) {
      const { told, files } = treeAt(at);
      const gone = told.objects.get(`${bucket}/${key}`);
      if (gone && crash !== "before the records") told.objects.delete(`${bucket}/${key}`);
      if (crash) restart();
      else if (gone) files.remove(gone.file);
    },
    async removeBucket(at, bucket, crash) {
      const { told, files } = treeAt(at);
      if (crash !== "before the records") {
        told.buckets.delete(bucket);
        for (const id of [...told.objects.keys()]) if (id.startsWith(`${bucket}/`)) told.objects.delete(id);
      }
      if (crash) restart();
      else await files.removeBucket(bucket);
    },
    putPart(at, uploadId, partNumber, body, crash) {
      const { told, files } = treeAt(at);
      const id = `${uploadId}/${partNumber}`;
      const replaced = told.parts.get(id);
      const file = publish(treeAt(at), { uploadId, partNumber }, body, crash);
      if (file) {
        told.buckets.add("uploads");
        told.uploads.add(uploadId);
        told.parts.set(id, file);
        told.bodies.set(file.file, body);
      }
      if (crash) restart();
      else if (replaced) files.remove(replaced.file);
    },
    removeUpload(at, uploadId, crash) {
      const { told, files } = treeAt(at);
      if (crash !== "before the records") {
        told.uploads.delete(uploadId);
        for (const id of [...told.parts.keys()]) if (id.startsWith(`${uploadId}/`)) told.parts.delete(id);
      }
      if (crash) restart();
      else files.removeUpload(uploadId);
    },
    fork(at) {
      const { told, files, folder, bases } = treeAt(at);
      const line = files.isEmpty() ? bases : [folder, ...bases];
      trees.push(plant(copyOf(told), nextFolder(), line, files.fork()));
    },
    reset(at) {
      const old = treeAt(at);
      old.files.end();
      const moved = nextFolder();
      fs.renameSync(old.folder, moved);
      for (const tree of trees) tree.bases = tree.bases.map((base) => (base === old.folder ? moved : base));
      trees = trees.map((tree) => (tree === old ? plant(nothingTold(), old.folder, []) : tree));
      sweepFolders();
    },
    end(at) {
      if (trees.length === 1) return;
      const old = treeAt(at);
      old.files.end();
      trees = trees.filter((tree) => tree !== old);
      sweepFolders();
    },
    restart,
    read: () => trees.map((tree) => bodiesOf(tree, ({ file }) => textOf(tree.files, file))),
    expected: () => trees.map((tree) => bodiesOf(tree, ({ file }) => tree.told.bodies.get(file))),
    clear: () => fs.rmSync(root, { recursive: true, force: true }),
  };
  trees.push(plant(nothingTold(), nextFolder(), []));
  return forest;
}

/** Whatever stands right before a folder in the line of some world, be that a world's still or not. */
function heirsOf(trees: readonly Tree[], wanted: string): readonly string[] {
  const heirs = trees.flatMap(({ folder, bases }) => {
    const line = [folder, ...bases];
    const at = line.indexOf(wanted);
    return at > 0 ? [line[at - 1] as string] : [];
  });
  return [...new Set(heirs)];
}

/** What is read of a body, and nothing when it is not there. */
export function textOf(files: ObjectFiles, file: string): string | undefined {
  const body = files.open(file);
  if (!body) return undefined;
  const bytes = Buffer.alloc(body.size);
  fs.readSync(body.fd, bytes, 0, body.size, 0);
  files.close(body);
  return bytes.toString();
}

function bodiesOf({ told }: Tree, get: (body: BodyFile) => string | undefined) {
  const all = [...told.objects, ...told.parts].map(([id, body]) => [id, get(body)]);
  return Object.fromEntries(all) as Record<string, string | undefined>;
}

function nothingTold(): Told {
  return {
    buckets: new Set(),
    objects: new Map(),
    uploads: new Set(),
    parts: new Map(),
    bodies: new Map(),
  };
}

function copyOf({ buckets, objects, uploads, parts, bodies }: Told): Told {
  return {
    buckets: new Set(buckets),
    objects: new Map(objects),
    uploads: new Set(uploads),
    parts: new Map(parts),
    bodies: new Map(bodies),
  };
}

/** As much of a reader as a sweep asks: all uploads are in one bucket. */
function readerOf({ buckets, objects, uploads, parts }: Told): Reader {
  const below = (all: ReadonlyMap<string, BodyFile>, group: string) =>
    [...all].filter(([id]) => id.startsWith(`${group}/`)).map(([, body]) => body);
  const lists: Record<string, (group: string) => unknown[]> = {
    buckets: () => [...buckets].map((name) => ({ name })),
    objects: (bucket) => below(objects, bucket),
    s3_uploads: (bucket) => (bucket === "uploads" ? [...uploads].map((upload_id) => ({ upload_id })) : []),
    s3_parts: (uploadId) => below(parts, uploadId),
  };
  return {
    list: ({ name }: { readonly name: string }, group = "") => lists[name]?.(group) ?? [],
  } as unknown as Reader;
}
