import { Refusal } from "../kernel/refusal.ts";

const WAY_OUT =
  "Stop the emulator, then run `emulator doctor --repair` with the same --data, or restore the folder.";

/** A data folder, or a part of it, that cannot be read; the message names the file, the hint says what to do. */
export class StoreError extends Refusal {
  constructor(message: string, hint: string = WAY_OUT, code = "data_damaged") {
    super(409, code, message, hint);
    this.name = "StoreError";
  }
}

/** The error of a file that is not as it was written; `where` names the place in it. */
export function damaged(path: string, where = ""): StoreError {
  return new StoreError(`${path}${where && `, ${where},`} is damaged.`);
}

/** The error of a file that is gone, or shorter than what was written of it. */
export function tooShort(path: string, bytes: number): StoreError {
  return new StoreError(`${path} is missing or ends before byte ${bytes}.`);
}
