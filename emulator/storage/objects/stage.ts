import * as fs from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { sumOn } from "../checksum.ts";
import type { Pool } from "../pool/pool.ts";

const write = promisify(fs.write);
const close = promisify(fs.close);

/** A body on its way in, under the name that it will have. */
export interface BodyStage {
  /** In the pool. */
  readonly file: string;
  /** The CRC-32 of what was written. */
  readonly sum: number;
  /** One at a time. */
  write(chunk: Uint8Array): Promise<void>;
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
  let writing: Promise<unknown> = Promise.resolve();
  let sum = 0;
  const openNew = (): number => pool.files.open(() => createNew(path));

  /** In one go: a file made in the background could turn up in the folder after the world's end. */
  function open(): number {
    opened ??= openNew();
    return opened;
  }

  async function append(chunk: Uint8Array): Promise<void> {
    if (discarded) return;
    const fd = open();
    sum = sumOn(chunk, sum);
    for (let offset = 0; offset < chunk.length && !discarded; ) {
      offset += (await write(fd, chunk, offset)).bytesWritten;
    }
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
    write(chunk) {
      const written = append(chunk);
      writing = written;
      return written;
    },
    async close() {
      await writing;
      if (discarded) return;
      open();
      await close(takeOpened() as number);
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
