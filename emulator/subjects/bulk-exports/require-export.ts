import { Refusal } from "../../kernel/refusal.ts";
import type { Reader } from "../turn.ts";
import { type BulkExport, EXPORTS } from "./records.ts";

/** An export of this world, of any workspace: control operations have no workspace. */
export function requireExport(reader: Reader, id: string): BulkExport {
  const record = reader.get(EXPORTS, id);
  if (record) return record;
  const hint = "List the exports of a workspace with GET /api/v1/bulk-exports.";
  throw new Refusal(404, "not_found", `Bulk export ${id} does not exist.`, hint);
}
