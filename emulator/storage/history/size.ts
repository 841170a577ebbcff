import type { Commit } from "../../kernel/commit.ts";
import type { ReplacedRow } from "../../kernel/table.ts";

/** What an object, an array or a member takes beside its text. */
const MEMBER_BYTES = 8;

/** About how many bytes, as JSON, are kept for a turn alone: not the records that it left, but those before it. */
export function sizeOfTurn(
  { scheduled = [], effects = [] }: Commit,
  replaced: readonly ReplacedRow[],
): number {
  let bytes = MEMBER_BYTES;
  for (const { row } of replaced) bytes += sizeOf(row.record);
  for (const { data } of scheduled) bytes += sizeOf(data);
  for (const { data } of effects) bytes += sizeOf(data);
  return bytes;
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
