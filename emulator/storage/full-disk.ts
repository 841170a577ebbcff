/** What systems say when a disk takes no more: full, a quota, a largest size of files, and a disk that fails. */
const CODES: readonly unknown[] = ["ENOSPC", "EDQUOT", "EFBIG", "EIO"];

/** True for the error of a write that the disk could not take. */
export function isFullDisk(error: unknown): boolean {
  return error instanceof Error && CODES.includes((error as NodeJS.ErrnoException).code);
}
