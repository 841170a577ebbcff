import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ObjectFiles,
  openObjectFiles,
  type Place,
} from "../../emulator/storage/objects/object-files.ts";
import { s3Failure } from "../../emulator/subjects/object-storage/errors.ts";
import type { BodyFile } from "../../emulator/subjects/object-storage/records.ts";
import type { Reader } from "../../emulator/subjects/turn.ts";

/** What one world's records say, and what its bodies should be: a fork copies all of it. */
interface ExpectedContent {
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
export interface TestWorld {
  readonly expected: ExpectedContent;
  readonly files: ObjectFiles;
  readonly folder: string;
  /** Nearest first; one of them moves when the world it belongs to is reset. */
  bases: readonly string[];
}

/** How far a step gets before the process ends. */
export type Crash = "after the records" | "before the records";

/** Worlds with nothing but records and bodies, which fork, end and restart. */
export interface WorldSet {
  readonly root: string;
  readonly worlds: readonly TestWorld[];
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

export function openWorldSet(): WorldSet {
  const root = fs.mkdtempSync(join(tmpdir(), "forest-"));
  const folders = new Set<string>();
  let worlds: TestWorld[] = [];
  let serial = 0;

  function nextFolder(): string {
    serial += 1;
    const folder = join(root, `f${serial}`);
    folders.add(folder);
    return folder;
  }

  function openWorld(
    content: ExpectedContent,
    folder: string,
    bases: readonly string[],
    boot?: number,
  ): TestWorld {
    const around = { bases };
    const files = openObjectFiles({
      folder,
      bases: () => around.bases,
      forks: () => forksOf(worlds, folder),
      ...(boot !== undefined && { boot }),
    });
    return Object.assign(around, { expected: content, files, folder });
  }

  function worldAt(at: number): TestWorld {
    return worlds[at % worlds.length] as TestWorld;
  }

  function publish(world: TestWorld, location: Place, body: string, crash?: Crash): BodyFile | undefined {
    const stage = world.files.stage();
    stage.writeWhole(Buffer.from(body));
    let published: BodyFile | undefined;
    try {
      world.files.publish(stage, location, (file) => {
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
    const used = new Set(worlds.flatMap(({ folder, bases }) => [folder, ...bases]));
    for (const folder of folders) {
      if (!used.has(folder)) fs.rmSync(folder, { recursive: true, force: true });
    }
  }

  function restart(): void {
    worlds = worlds.map(({ expected: content, folder, bases }) => openWorld(content, folder, bases));
    for (const { files, expected: content } of worlds) files.recover(readerOf(content));
  }

  const worldSet: WorldSet = {
    root,
    get worlds() {
      return worlds;
    },
    put(at, bucket, key, body, crash) {
      const { expected: content } = worldAt(at);
      const file = publish(worldAt(at), { bucket, key }, body, crash);
      if (file) {
        content.buckets.add(bucket);
        content.objects.set(`${bucket}/${key}`, file);
        content.bodies.set(file.file, body);
      }
      if (crash) restart();
    },
    refuse(at, bucket, key, body) {
      const { files } = worldAt(at);
      const stage = files.stage();
      stage.writeWhole(Buffer.from(body));
      files.publish(stage, { bucket, key }, () => s3Failure("PreconditionFailed"));
    },
    remove(at, bucket, key, crash) {
      const { expected: content, files } = worldAt(at);
      const gone = content.objects.get(`${bucket}/${key}`);
      if (gone && crash !== "before the records") content.objects.delete(`${bucket}/${key}`);
      if (crash) restart();
      else if (gone) files.remove(gone.file);
    },
    async removeBucket(at, bucket, crash) {
      const { expected: content, files } = worldAt(at);
      if (crash !== "before the records") {
        content.buckets.delete(bucket);
        for (const id of [...content.objects.keys()])
          if (id.startsWith(`${bucket}/`)) content.objects.delete(id);
      }
      if (crash) restart();
      else await files.removeBucket(bucket);
    },
    putPart(at, uploadId, partNumber, body, crash) {
      const { expected: content, files } = worldAt(at);
      const id = `${uploadId}/${partNumber}`;
      const replaced = content.parts.get(id);
      const file = publish(worldAt(at), { uploadId, partNumber }, body, crash);
      if (file) {
        content.buckets.add("uploads");
        content.uploads.add(uploadId);
        content.parts.set(id, file);
        content.bodies.set(file.file, body);
      }
      if (crash) restart();
      else if (replaced) files.remove(replaced.file);
    },
    removeUpload(at, uploadId, crash) {
      const { expected: content, files } = worldAt(at);
      if (crash !== "before the records") {
        content.uploads.delete(uploadId);
        for (const id of [...content.parts.keys()])
          if (id.startsWith(`${uploadId}/`)) content.parts.delete(id);
      }
      if (crash) restart();
      else files.removeUpload(uploadId);
    },
    fork(at) {
      const { expected: content, files, folder, bases } = worldAt(at);
      const line = files.isEmpty() ? bases : [folder, ...bases];
      worlds.push(openWorld(copyOf(content), nextFolder(), line, files.fork()));
    },
    reset(at) {
      const old = worldAt(at);
      old.files.end();
      const moved = nextFolder();
      fs.renameSync(old.folder, moved);
      for (const world of worlds)
        world.bases = world.bases.map((base) => (base === old.folder ? moved : base));
      worlds = worlds.map((world) => (world === old ? openWorld(emptyContent(), old.folder, []) : world));
      sweepFolders();
    },
    end(at) {
      if (worlds.length === 1) return;
      const old = worldAt(at);
      old.files.end();
      worlds = worlds.filter((world) => world !== old);
      sweepFolders();
    },
    restart,
    read: () => worlds.map((world) => bodiesOf(world, ({ file }) => textOf(world.files, file))),
    expected: () => worlds.map((world) => bodiesOf(world, ({ file }) => world.expected.bodies.get(file))),
    clear: () => fs.rmSync(root, { recursive: true, force: true }),
  };
  worlds.push(openWorld(emptyContent(), nextFolder(), []));
  return worldSet;
}

/** Whatever stands right before a folder in the line of some world, be that a world's still or not. */
function forksOf(worlds: readonly TestWorld[], wanted: string): readonly string[] {
  const forks = worlds.flatMap(({ folder, bases }) => {
    const line = [folder, ...bases];
    const at = line.indexOf(wanted);
    return at > 0 ? [line[at - 1] as string] : [];
  });
  return [...new Set(forks)];
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

function bodiesOf({ expected: content }: TestWorld, get: (body: BodyFile) => string | undefined) {
  const all = [...content.objects, ...content.parts].map(([id, body]) => [id, get(body)]);
  return Object.fromEntries(all) as Record<string, string | undefined>;
}

function emptyContent(): ExpectedContent {
  return {
    buckets: new Set(),
    objects: new Map(),
    uploads: new Set(),
    parts: new Map(),
    bodies: new Map(),
  };
}

function copyOf({ buckets, objects, uploads, parts, bodies }: ExpectedContent): ExpectedContent {
  return {
    buckets: new Set(buckets),
    objects: new Map(objects),
    uploads: new Set(uploads),
    parts: new Map(parts),
    bodies: new Map(bodies),
  };
}

/** As much of a reader as a sweep asks: all uploads are in one bucket. */
function readerOf({ buckets, objects, uploads, parts }: ExpectedContent): Reader {
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
