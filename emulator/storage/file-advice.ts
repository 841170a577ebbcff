/** What people may do about troubles of the system with a file, by its codes. */
export const FILE_ADVICE: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder; check the path",
  ENOTDIR: "a part of the path is a file; check the path",
  EISDIR: "a folder; name a file",
  EACCES: "no permission; check whose it is",
  EROFS: "the disk is read-only; name a file elsewhere",
  ENOSPC: "the disk is full; make room there",
};

/** Why a file could not be read or written, and what to do; the code of the system where nothing is known of it. */
export function fileAdvice(error: unknown): string {
  const { code = "unknown error" } = error as NodeJS.ErrnoException;
  return FILE_ADVICE[code] ?? code;
}
