import { type Capsule, readCapsule } from "../../emulator/runtime/capsules/file.ts";
import { fileAdvice } from "../../emulator/runtime/process/file-advice.ts";
import { checkWritable } from "../../emulator/runtime/snapshots/archive-file.ts";
import { UsageError } from "../command.ts";

/** Reads a capsule. Throws `UsageError`. */
export function openCapsule(file: string): Promise<Capsule> {
  return withFileErrors(() => readCapsule(file));
}

/** Refuses where a capsule could not be written later on. Throws `UsageError`. */
export function checkCapsule(file: string): Promise<void> {
  return withFileErrors(() => checkWritable(file, true));
}

/** Turns errors of a file that the user named, and of the temporary folder, into `UsageError`. */
export async function withFileErrors<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const { name, message, code, path } = error as NodeJS.ErrnoException;
    if (name === "ArchiveFileError") throw new UsageError(message);
    if (code === undefined || path === undefined) throw error;
    throw new UsageError(`${path}: cannot be used: ${fileAdvice(error)}`);
  }
}
