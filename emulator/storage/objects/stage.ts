import * as fs from "node:fs";
import { promisify } from "node:util";

const write = promisify(fs.write);
const close = promisify(fs.close);

/** Where bodies on their way in lie, and where those of parts do. */
export const STAGES = ".tmp";
export const UPLOADS = ".uploads";

/** A body on its way in, under a temporary name. */
export interface Stage {
  readonly name: string;
  readonly path: string;
  /** One at a time. */
  write(chunk: Uint8Array): Promise<void>;
  /** Ends the writing: from here on the body can be published. */
  close(): Promise<void>;
  /** The whole body in one synchronous go. */
  writeWhole(bytes: Uint8Array): void;
  /** Leaves nothing behind, unless the body is settled. */
  discard(): void;
  /** A record knows the body: from here on it stays, even when it cannot be given its name now. */
  settle(): void;
}

/** Opens a stage; nothing is on disk before something is written or the stage is closed. */
export function openStage(path: string, name: string, forget: () => void): Stage {
  let opened: number | undefined;
  let discarded = false;
  let settled = false;
  let writing: Promise<unknown> = Promise.resolve();

  /** In one go: a file made in the background could turn up in the folder of the world after a reset. */
  function open(): number {
    opened ??= fs.openSync(path, "wx");
    return opened;
  }

  async function append(chunk: Uint8Array): Promise<void> {
    if (discarded) return;
    const fd = open();
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
    name,
    path,
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
      if (!discarded) fs.writeFileSync(path, bytes, { flag: "wx" });
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

/** A stage for a world that is over: takes everything in, and nothing comes of it. */
export function refusedStage(path: string, name: string): Stage {
  return {
    name,
    path,
    write: () => Promise.resolve(),
    close: () => Promise.resolve(),
    writeWhole: () => undefined,
    discard: () => undefined,
    settle: () => undefined,
  };
}
