import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { isS3Failure, type S3Failure, s3Failure } from "../../subjects/object-storage/errors.ts";
import type { BodyFile } from "../../subjects/object-storage/records.ts";
import type { Reader } from "../../subjects/turn.ts";
import { type BodyOwner, isHashed, keyFileOf, nameOf } from "./body-name.ts";
import { createCopyOnWrite, type ForkedFolderOptions } from "./copy-on-write.ts";
import { createRemoval, dropBody } from "./removal.ts";
import { openStage, refusedStage, STAGES, type Stage } from "./stage.ts";
import { sweepFiles } from "./sweep.ts";

export type { BodyOwner as Place } from "./body-name.ts";

/**
 * The bodies of a world's objects, as files under one folder. That of a fork reads through the folders it was
 * forked from: the records are the truth about what exists, so what a fork has removed may still lie in those.
 */
export interface ObjectFiles {
  /** Takes the next temporary name at once, so that names follow the order of calls. */
  stage(): Stage;
  /**
   * Runs the commit and, right behind it, gives the body its name. A process that ends in between leaves a
   * record that knows the temporary name, and `recover` does the rest.
   */
  publish<R>(stage: Stage, place: BodyOwner, commit: (body: BodyFile) => S3Failure | R): S3Failure | R;
  /** Opens a body now, so that what is written later cannot show through. */
  open(file: string): OpenedBody | undefined;
  close(body: OpenedBody): void;
  remove(file: string): void;
  removeUpload(uploadId: string): void;
  removeBucket(name: string): Promise<void>;
  /**
   * Has to be called in the same go in which the records are copied: what is there now belongs to the fork as
   * well. Hands out the `boot` that the fork's folder is opened with.
   */
  fork(): number;
  /** True when its own folder holds no body, so that nobody needs to read through it. */
  isEmpty(): boolean;
  /** Finishes what a crash interrupted and clears away what neither a record nor an heir knows. */
  recover(reader: Reader): void;
  /**
   * The end of the world that the bodies are of: what is on its way in is refused when it arrives, and nothing
   * is touched any more. From here on the folder belongs to the caller, to rename, keep or remove.
   */
  end(): void;
}

/** A file descriptor, which its holder has to `close`, and the length in bytes. */
export interface OpenedBody {
  readonly fd: number;
  readonly size: number;
}

/** Where the bodies lie, and which folders are around. */
export interface ObjectFilesOptions {
  readonly folder: string;
  /** The folders that this one was forked from, nearest first; asked each time, since a reset moves folders. */
  readonly bases?: () => readonly string[];
  /**
   * The folders that were forked straight from this one, for as long as a world reads in them or through them.
   * Right before `recover` is called already.
   */
  readonly forks?: () => readonly string[];
  /** Only for the new folder of a new fork: it makes its temporary names differ from all inherited ones. */
  readonly boot?: number;
}

const NONE: ForkedFolderOptions["bases"] = () => [];

/** Opens the folder; `recover` has to follow once the records are known. */
export function openObjectFiles(options: ObjectFilesOptions): ObjectFiles {
  const { folder, bases = NONE, forks = NONE } = options;
  const copyOnWrite = createCopyOnWrite({ folder, bases, forks });
  const removal = createRemoval({ folder, copyOnWrite, nextName, isOver: () => ended });
  const live = new Set<Stage>();
  let boot = options.boot ?? 1;
  let lastStage = 0;
  let ended = false;
  if (options.boot !== undefined) refuseUsed(folder);
  fs.mkdirSync(join(folder, STAGES), { recursive: true });

  function nextName(): string {
    lastStage += 1;
    return `${boot}-${lastStage}`;
  }

  return {
    stage() {
      const name = nextName();
      const path = join(folder, STAGES, name);
      if (ended) return refusedStage(path, name);
      const stage = openStage(path, name, () => live.delete(stage));
      live.add(stage);
      return stage;
    },
    publish(stage, place, commit) {
      if (!live.has(stage)) return s3Failure("OperationAborted", "The world was reset or removed meanwhile.");
      const file = nameOf(place, stage);
      const path = join(folder, file);
      // Before the commit: when there is no room for it, the world stays as it was.
      copyOnWrite.beforePut(file);
      fs.mkdirSync(dirname(path), { recursive: true });
      if ("key" in place && isHashed(file)) fs.writeFileSync(keyFileOf(path), place.key);
      const value = commit({ file, stage: stage.name });
      if (isS3Failure(value)) {
        stage.discard();
        if (!fs.existsSync(path)) dropBody(folder, file);
        return value;
      }
      stage.settle();
      fs.renameSync(stage.path, path);
      removal.cancelRemoval(file);
      return value;
    },
    open: (file) => (ended ? undefined : openFirst([folder, ...bases()], file)),
    close: ({ fd }) => fs.closeSync(fd),
    remove(file) {
      if (!ended) removal.remove(file);
    },
    removeUpload(uploadId) {
      if (!ended) removal.removeUpload(uploadId);
    },
    async removeBucket(name) {
      if (!ended) await removal.removeBucket(name);
    },
    fork() {
      copyOnWrite.renew();
      return boot + 1;
    },
    isEmpty: () => fs.readdirSync(folder).every((name) => name === STAGES || hasNothing(join(folder, name))),
    recover(reader) {
      // A fork just made has no past, and looking at all it inherits would make it as slow as a copy.
      if (ended || options.boot !== undefined) return;
      boot = sweepFiles(folder, reader, copyOnWrite) + 1;
      lastStage = 0;
    },
    end() {
      for (const stage of [...live]) stage.discard();
      ended = true;
    },
  };
}

function hasNothing(folder: string): boolean {
  const open = fs.opendirSync(folder);
  try {
    return open.readSync() === null;
  } finally {
    open.closeSync();
  }
}

/** What lies in the folder of a fork hides what the fork inherits. */
function refuseUsed(folder: string): void {
  if (!fs.existsSync(folder) || fs.readdirSync(folder).length === 0) return;
  throw new Error(`A fork needs an empty folder for its objects, and ${folder} is not: remove it first.`);
}

/** Only a body that is not there is looked for further on: one that cannot be read must not be mistaken. */
function openFirst(folders: readonly string[], file: string): OpenedBody | undefined {
  for (const folder of folders) {
    try {
      const fd = fs.openSync(join(folder, file), "r");
      return { fd, size: fs.fstatSync(fd).size };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") return undefined;
    }
  }
  return undefined;
}
