import { closeSync, existsSync, openSync, readSync, writevSync } from "node:fs";
import { join } from "node:path";
import { areSealed, sealBlock } from "../checksum.ts";

/** How long a file that is appended to was at least: what it has lost since then was acknowledged. */
export interface Length {
  /** Of the file among those that its owner has appended to, one after the other. */
  readonly number: number;
  readonly bytes: number;
}

/**
 * The lengths of files that are appended to, one for each owner: the end of such a file proves nothing by itself. What is
 * damaged here is not believed, and costs nothing but that proof.
 */
export interface Lengths {
  /** Undefined when none was written down. */
  of(owner: number): Length | undefined;
  /** The first one is written at once, which makes the file; others with the end of the round of the event loop. */
  set(owner: number, length: Length): void;
  /** Writes what waits, if it may, and closes the file. */
  close(mayWrite: boolean): void;
}

const NAME = "lengths";
/** A slot never lies on two pages, so that a killed process leaves each whole. */
const SLOT_BYTES = 16;
const BYTES_AT = 4;
const BYTES_WIDTH = 6;

/** Opens the lengths of a data folder with the first one that is asked for. */
export function openLengths(root: string): Lengths {
  const path = join(root, NAME);
  const waiting = new Map<number, Length>();
  let file: number | undefined;
  let isDue = false;

  function write(): void {
    isDue = false;
    if (waiting.size === 0) return;
    file ??= openSync(path, existsSync(path) ? "r+" : "w+", 0o600);
    for (const [owner, length] of waiting) writevSync(file, [slotOf(length)], owner * SLOT_BYTES);
    waiting.clear();
  }

  return {
    of(owner) {
      const known = waiting.get(owner);
      if (known || !(file ?? existsSync(path))) return known;
      file ??= openSync(path, "r+");
      const slot = Buffer.alloc(SLOT_BYTES);
      readSync(file, slot, 0, SLOT_BYTES, owner * SLOT_BYTES);
      if (!areSealed(slot)) return undefined;
      return { number: slot.readUInt32LE(0), bytes: slot.readUIntLE(BYTES_AT, BYTES_WIDTH) };
    },
    set(owner, length) {
      waiting.set(owner, length);
      if (file === undefined) return writeTolerantly();
      if (!isDue) setImmediate(writeTolerantly);
      isDue = true;
    },
    close(mayWrite) {
      if (mayWrite) write();
      waiting.clear();
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };

  /** What cannot be written proves less, and loses nothing. */
  function writeTolerantly(): void {
    try {
      write();
    } catch {
      isDue = false;
    }
  }
}

function slotOf({ number, bytes }: Length): Buffer {
  const slot = Buffer.alloc(SLOT_BYTES);
  slot.writeUInt32LE(number, 0);
  slot.writeUIntLE(bytes, BYTES_AT, BYTES_WIDTH);
  sealBlock(slot, 0, SLOT_BYTES);
  return slot;
}
