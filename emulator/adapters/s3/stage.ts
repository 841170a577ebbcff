import * as fs from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/** Where bodies on their way in lie, and where those of parts do. */
export const STAGES = ".tmp";
export const UPLOADS = ".uploads";

/** A body on its way in, under a temporary name. */
export interface Stage {
  readonly name: string;
  readonly path: string;
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
  let handle: Promise<FileHandle> | undefined;
  let discarded = false;
  let settled = false;
  let writing: Promise<unknown> = Promise.resolve();

  async function append(chunk: Uint8Array): Promise<void> {
    if (discarded) return;
    handle ??= open(path, "wx");
    const file = await handle;
    for (let offset = 0; offset < chunk.length && !discarded; ) {
      offset += (await file.write(chunk, offset)).bytesWritten;
    }
  }

  async function closeAndUnlink(): Promise<void> {
    await writing.catch(() => undefined);
    const file = await handle?.catch(() => undefined);
    const { ino } = (await file?.stat()) ?? {};
    await file?.close();
    // After a reset the name may belong to another body already.
    if (ino !== undefined && fs.statSync(path, { throwIfNoEntry: false })?.ino === ino) fs.rmSync(path);
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
      if (discarded) return;
      handle ??= open(path, "wx");
      const file = await handle;
      handle = undefined;
      await file.close();
    },
    writeWhole: (bytes) => fs.writeFileSync(path, bytes, { flag: "wx" }),
    discard() {
      forget();
      if (discarded || settled) return;
      discarded = true;
      fs.rmSync(path, { force: true });
      if (handle) closeAndUnlink().catch(() => undefined);
    },
    settle() {
      forget();
      settled = true;
    },
  };
}
