import type { Commit } from "../../kernel/commit.ts";

/** What an object, an array or a member takes beside its text. */
const MEMBER_BYTES = 8;

/** About how many bytes a commit takes as JSON; nothing is written for it. */
export function sizeOfCommit({ put = {}, scheduled = [], asked = [] }: Commit): number {
  let bytes = 0;
  for (const name in put) for (const { record } of put[name] ?? []) bytes += sizeOf(record);
  for (const { data } of scheduled) bytes += sizeOf(data);
  for (const { data } of asked) bytes += sizeOf(data);
  return bytes + MEMBER_BYTES;
}

function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return MEMBER_BYTES;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  let bytes = MEMBER_BYTES;
  for (const name in value)
    bytes += MEMBER_BYTES + sizeOf((value as Readonly<Record<string, unknown>>)[name]);
  return bytes;
}
