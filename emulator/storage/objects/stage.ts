import * as fs from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { sumOn } from "../checksum.ts";
import type { Pool } from "../pool/pool.ts";
import { isShared } from "./body-place.ts";
import type { SharedFiles } from "./shared-files.ts";

const writev = promisify(fs.writev);

/** So much is written with one call, which takes less than many; the rest of a body synchronously, since a thread would take longer. */
const BATCH_BYTES = 256 * 1024;

/** A body on its way in. */
export interface BodyStage {
  /** The name of the body, once all of it is written. */
  readonly file: string;
  /** The CRC-32 of what was written. */
  readonly sum: number;
  /** Takes a piece that stays as it is: it is written later, with others. One at a time. */
  write(piece: Uint8Array): Promise<void>;
  /** Ends the writing: from here on the body can be published. */
  close(): Promise<void>;
  /** The whole body in one synchronous go. */
  writeWhole(bytes: Uint8Array): void;
  /** Leaves nothing behind, unless the body is settled. */
  discard(): void;
  /** A record knows the body: from here on it stays. */
  settle(): void;
}

/** What a stage writes to. */
export interface StageOptions {
  readonly pool: Pick<Pool, "path" | "files">;
  /** The name of the next file. */
  readonly nextName: () => string;
  readonly shared: Pick<SharedFiles, "append" | "leave">;
  /** Smaller bodies share files. */
  readonly sharedBytes: number;
  /** The body has its name. */
  readonly named: (file: string) => void;
  /** It is settled or discarded. */
  readonly forget: (file: string) => void;
}

/** Opens a stage; nothing is on disk before so much is written that it takes a file of its own, or the stage is closed. */
export function openStage(options: StageOptions): BodyStage {
  const { sharedBytes, forget } = options;
  const target = createTarget(options);
  let opened: number | undefined;
  let discarded = false;
  let settled = false;
  let writing: Promise<void> = Promise.resolve();
  let batch: Uint8Array[] = [];
  let batchBytes = 0;
  let sum = 0;

  async function writeAll(fd: number, pieces: readonly Uint8Array[]): Promise<void> {
    for (let rest = pieces; rest.length > 0 && !discarded; )
      rest = behind(rest, (await writev(fd, rest)).bytesWritten);
  }

  function closeOpened(): void {
    const fd = opened;
    opened = undefined;
    if (fd !== undefined) fs.closeSync(fd);
  }

  return {
    get file() {
      return target.file;
    },
    get sum() {
      return sum;
    },
    async write(piece) {
      if (discarded) return;
      sum = sumOn(piece, sum);
      batch.push(piece);
      batchBytes += piece.length;
      if (batchBytes < BATCH_BYTES) return;
      opened ??= target.openNew();
      const [before, pieces, fd] = [writing, batch, opened];
      batch = [];
      batchBytes = 0;
      writing = before.then(() => writeAll(fd, pieces));
      // Whoever writes next, or closes, learns of a failure; the next pieces come while these are written.
      writing.catch(() => undefined);
      await before;
    },
    async close() {
      await writing;
      if (discarded) return;
      const last = Buffer.concat(batch);
      if (opened === undefined && last.length < sharedBytes) return target.share(last);
      opened ??= target.openNew();
      fs.writeFileSync(opened, last);
      closeOpened();
    },
    writeWhole(bytes) {
      if (discarded) return;
      sum = sumOn(bytes);
      if (bytes.length < sharedBytes) return target.share(bytes);
      const fd = target.openNew();
      try {
        fs.writeFileSync(fd, bytes);
      } finally {
        fs.closeSync(fd);
      }
    },
    discard() {
      forget(target.file);
      if (discarded || settled) return;
      discarded = true;
      target.remove();
      // Not before the last write is over: the number could be another file's by then.
      writing.catch(() => undefined).then(closeOpened);
    },
    settle() {
      forget(target.file);
      settled = true;
    },
  };
}

/** Where the bytes of a body go, which has its name from then on. */
function createTarget({ pool, nextName, shared, named }: StageOptions) {
  let file = "";
  function take(name: string): void {
    file = name;
    named(name);
  }
  return {
    get file() {
      return file;
    },
    /** In one go: a file made in the background could turn up in the folder after the world's end. */
    openNew(): number {
      take(nextName());
      const path = pool.path(file);
      return pool.files.open(() => createNew(path));
    },
    share(bytes: Uint8Array): void {
      take(shared.append(bytes));
    },
    remove(): void {
      if (isShared(file)) shared.leave(file);
      else if (file !== "") fs.rmSync(pool.path(file), { force: true });
    },
  };
}

function createNew(path: string): number {
  try {
    return fs.openSync(path, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return fs.openSync(path, "wx", 0o600);
  }
}

/** What is left of pieces behind so many bytes of them. */
function behind(pieces: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let left = bytes;
  const at = pieces.findIndex(({ length }) => {
    if (left < length) return true;
    left -= length;
    return false;
  });
  const [first, ...rest] = at < 0 ? [] : pieces.slice(at);
  return first ? [first.subarray(left), ...rest] : [];
}

/** A stage for a world that is over: takes everything in, and nothing comes of it. */
export function refusedStage(): BodyStage {
  return {
    file: "",
    sum: 0,
    write: () => Promise.resolve(),
    close: () => Promise.resolve(),
    writeWhole: () => undefined,
    discard: () => undefined,
    settle: () => undefined,
  };
}
