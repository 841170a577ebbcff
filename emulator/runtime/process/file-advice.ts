/** What the user can do about a file error, by its system code. */
export const FILE_ADVICE: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder; check the path",
  ENOTDIR: "a part of the path is a file; check the path",
  EISDIR: "this is a folder, not a file; give the path of a file",
  EACCES: "no permission; check whose it is",
  EROFS: "the disk is read-only; name a file elsewhere",
  ENOSPC: "the disk is full; make room there",
  EFBIG: "the file would be larger than the system permits; raise the limit (`ulimit -f`)",
};

/** Why a file could not be read or written, and what to do. An unlisted error is described by its code. */
export function fileAdvice(error: unknown): string {
  const { code = "unknown error" } = error as NodeJS.ErrnoException;
  return FILE_ADVICE[code] ?? code;
}

/** The same for a file that could not be written: it need not exist, but its folder does. */
export function writeAdvice(error: unknown): string {
  const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
  return isMissing ? "its folder does not exist; create it, or use another path" : fileAdvice(error);
}
