import { Refusal } from "./refusal.ts";

const TOO_MANY = {
  status: 429,
  code: "too_many_open_files",
  message: "The process has reached its limit of open files and connections.",
  hint: "Close some connections and repeat the request, or raise the limit (`ulimit -n`) and restart the emulator.",
} as const;

/** Errors of the operating system that are not defects: the request causes them, or they are temporary. */
const REFUSALS: Readonly<Record<string, Pick<Refusal, "status" | "code" | "message" | "hint">>> = {
  EMFILE: TOO_MANY,
  ENFILE: TOO_MANY,
  ENAMETOOLONG: {
    status: 422,
    code: "name_too_long",
    message: "A name in the request is too long for the file system.",
    hint: "Use a shorter name.",
  },
};

/** The refusal that an error amounts to; undefined for a defect. */
export function refusalIn(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  const refusal = REFUSALS[String((error as NodeJS.ErrnoException | undefined)?.code)];
  return refusal && new Refusal(refusal.status, refusal.code, refusal.message, refusal.hint);
}

/** Error codes of a disk that accepts no more data: full, over a quota, file too large, failing. */
const FULL_DISK: readonly unknown[] = ["ENOSPC", "EDQUOT", "EFBIG", "EIO"];

/** Whether a write failed because the disk accepts no more data. */
export function isFullDisk(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && FULL_DISK.includes((error as NodeJS.ErrnoException).code);
}
