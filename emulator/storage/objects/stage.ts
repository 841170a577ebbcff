import * as fs from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { sumOn } from "../checksum.ts";
import type { Pool } from "../pool/pool.ts";

const writev = promisify(fs.writev);

/** So much is written with one call, which takes less than many; the rest of a body synchronously, since a thread would take longer. */
const BATCH_BYTES = 256 * 1024;

/** A body on its way in, under the name that it will have. */
export interface BodyStage {
  /** In the pool. */
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

/** Opens a stage; nothing is on disk before something is written or the stage is closed. */
export function openStage(file: string, pool: Pick<Pool, "path" | "files">, forget: () => void): BodyStage {
  const path = pool.path(file);
  let opened: number | undefined;
  let discarded = false;
  let settled = false;
  let writing: Promise<void> = Promise.resolve();
  let batch: Uint8Array[] = [];
  let batchBytes = 0;
  let sum = 0;
  const openNew = (): number => pool.files.open(() => createNew(path));

  /** In one go: a file made in the background could turn up in the folder after the world's end. */
  function open(): number {
    opened ??= openNew();
    return opened;
  }

  async function writeAll(fd: number, pieces: readonly Uint8Array[]): Promise<void> {
    for (let rest = pieces; rest.length > 0 && !discarded; )
      rest = behind(rest, (await writev(fd, rest)).bytesWritten);
  }

  /** Hands the open file over, so that it is closed once only. */
  function takeOpened(): number | undefined {
    const fd = opened;
    opened = undefined;
    return fd;
  }

  return {
    file,
    get sum() {
      return sum;
    },
    async write(piece) {
      if (discarded) return;
      sum = sumOn(piece, sum);
      batch.push(piece);
      batchBytes += piece.length;
      if (batchBytes < BATCH_BYTES) return;
      const [before, pieces, fd] = [writing, batch, open()];
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
      const fd = open();
      fs.writeFileSync(fd, Buffer.concat(batch));
      takeOpened();
      fs.closeSync(fd);
    },
    writeWhole(bytes) {
      if (discarded) return;
      sum = sumOn(bytes);
      const fd = openNew();
      try {
        fs.writeFileSync(fd, bytes);
      } finally {
        fs.closeSync(fd);
      }
    },
    discard() {
      forget();
      if (discarded || settled) return;
      discarded = true;
      fs.rmSync(path, { force: true });
      const fd = takeOpened();
      // Not before the last write is over: the number could be another file's by then.
      if (fd !== undefined) writing.catch(() => undefined).then(() => fs.closeSync(fd));
    },
    settle() {
      forget();
      settled = true;
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
export function refusedStage(file: string): BodyStage {
  return {
    file,
    sum: 0,
    write: () => Promise.resolve(),
    close: () => Promise.resolve(),
    writeWhole: () => undefined,
    discard: () => undefined,
    settle: () => undefined,
  };
}
