/** A range of bytes in a body. */
export interface ByteRange {
  readonly start: number;
  readonly length: number;
}

/** A part of a body; `undefined` for the whole body, `unsatisfiable` for no bytes. */
export type Range = ByteRange | "unsatisfiable" | undefined;

/** Reads a `Range` header. Several ranges, other units and invalid values are ignored, as RFC 9110 allows. */
export function rangeOf(header: string | undefined, size: number): Range {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? "");
  if (!match) return undefined;
  const [, first = "", last = ""] = match;
  if (first === "" && last === "") return undefined;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { start: size - length, length };
  }
  const start = Number(first);
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== "" && Number(last) < start) return undefined;
  return start >= size ? "unsatisfiable" : { start, length: end - start + 1 };
}

/** The bytes that `UploadPartCopy` copies, all of which have to exist; `malformed` for an invalid header. */
export function copyRangeOf(header: string, size: number): ByteRange | "malformed" | "unsatisfiable" {
  const match = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(header.trim());
  if (!match) return "malformed";
  const [start, end] = match.slice(1).map(Number) as [number, number];
  return end < start || end >= size ? "unsatisfiable" : { start, length: end - start + 1 };
}
