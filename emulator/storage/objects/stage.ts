import * as fs from "node:fs";
import { dirname } from "node:path";
import { sumOn } from "../checksum.ts";
import type { Pool } from "../pool/pool.ts";
import { createBodyFile } from "./body-file.ts";
import { isShared } from "./body-place.ts";
import type { SharedFiles } from "./shared-files.ts";

/** So much of a body is written as it comes: a thread would take longer. */
const SYNCHRONOUS_BYTES = 1024 * 1024;
/** Of what comes behind that, so much is written with one call of a thread, while more comes. */
const BATCH_BYTES = 256 * 1024;

/** A body on its way in. */
export interface BodyStage {
  /** The name of the body, once all of it is written. */
  readonly file: string;
  /** The CRC-32 of what was written. */
  readonly sum: number;
  /** Takes a piece that stays as it is: it may be written later, with others. One at a time. */
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
  /** Nobody else has the pieces: their memory may go as soon as they are written. */
  readonly ownsPieces: boolean;
  /** The body has its name. */
  readonly named: (file: string) => void;
  /** It is settled or discarded. */
  readonly forget: (file: string) => void;
}

/** Opens a stage; nothing is on disk before so much is written that it takes a file of its own, or the stage is closed. */
export function openStage(options: StageOptions): BodyStage {
  const { sharedBytes, ownsPieces, forget } = options;
  const target = createTarget(options);
  const body = createBodyFile(target.openNew, ownsPieces);
  let discarded = false;
  let settled = false;
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let size = 0;
  let sum = 0;

  function takeHeld(): readonly Uint8Array[] {
    const pieces = held;
    held = [];
    heldBytes = 0;
    return pieces;
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
      held.push(piece);
      heldBytes += piece.length;
      size += piece.length;
      const isLarge = size > SYNCHRONOUS_BYTES;
      if (heldBytes < (isLarge ? BATCH_BYTES : sharedBytes)) return;
      if (isLarge) await body.writeInThread(takeHeld());
      else body.writeNow(takeHeld());
    },
    async close() {
      await body.settled();
      if (discarded) return;
      if (!body.isBegun && heldBytes < sharedBytes) return target.share(Buffer.concat(takeHeld()));
      body.writeNow(takeHeld());
      body.close();
    },
    writeWhole(bytes) {
      if (discarded) return;
      sum = sumOn(bytes);
      if (bytes.length < sharedBytes) return target.share(bytes);
      try {
        body.writeNow([bytes]);
      } finally {
        body.close();
      }
    },
    discard() {
      forget(target.file);
      if (discarded || settled) return;
      discarded = true;
      target.remove();
      body.giveUp();
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
