/** Error codes of a disk that accepts no more data: full, over a quota, file too large, failing. */
const CODES: readonly unknown[] = ["ENOSPC", "EDQUOT", "EFBIG", "EIO"];

/** Whether a write failed because the disk accepts no more data. */
export function isFullDisk(error: unknown): boolean {
  return error instanceof Error && CODES.includes((error as NodeJS.ErrnoException).code);
}
