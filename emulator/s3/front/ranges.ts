/** Some bytes of a body. */
export interface Stretch {
  readonly start: number;
  readonly length: number;
}

/** A part of a body; `undefined` for the whole of it, `unsatisfiable` for none. */
export type Range = Stretch | "unsatisfiable" | undefined;

/** Reads a `Range` header; several ranges, other units and nonsense are passed over, as RFC 9110 allows. */
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

/** The bytes that `UploadPartCopy` takes, `malformed` for what is none of its forms; all of them have to be there. */
export function copyRangeOf(header: string, size: number): Stretch | "malformed" | "unsatisfiable" {
  const match = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(header.trim());
  if (!match) return "malformed";
  const [start, end] = match.slice(1).map(Number) as [number, number];
  return end < start || end >= size ? "unsatisfiable" : { start, length: end - start + 1 };
}
