import { DATA_DAMAGED, Refusal } from "../kernel/refusal.ts";
import { refusalIn } from "../kernel/system-refusal.ts";

const HINT =
  "Load a snapshot (`emulator snapshot load <name>`), reset the world (`emulator reset`), or remove it (`emulator world rm <id>`). " +
  "To list all damaged files, stop the emulator and run `emulator doctor`.";

/** A data folder, or a part of it, that cannot be read; the message names the file, the hint the next step. */
export class StoreError extends Refusal {
  constructor(message: string, hint: string = HINT, code: string = DATA_DAMAGED) {
    super(409, code, message, hint);
    this.name = "StoreError";
  }
}

/** The result of an act; undefined when stored data is damaged, which is reported. */
export function unlessDamaged<T>(act: () => T, report?: (damage: StoreError) => void): T | undefined {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    report?.(error);
    return undefined;
  }
}

/** The error of a file whose checksum does not match; `where` is the position in it. */
export function damaged(path: string, where = "", hint?: string): StoreError {
  return new StoreError(`${path}${where && `, ${where},`} is damaged.`, hint);
}

/** The error of a file that is missing, or shorter than what was written to it. */
export function tooShort(path: string, bytes: number, hint?: string): StoreError {
  return new StoreError(`${path} is missing or ends before byte ${bytes}.`, hint);
}

/** Reads from a stored file. A failure of the system to open or read it becomes a `StoreError`. */
export function readStored<T>(path: string, read: () => T, hint?: string): T {
  try {
    return read();
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined || refusalIn(error)) throw error;
    throw new StoreError(
      code === "ENOENT" ? `${path} is missing.` : `${path} cannot be read (${code}).`,
      hint,
    );
  }
}
