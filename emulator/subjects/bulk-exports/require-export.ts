import { Refusal } from "../../kernel/refusal.ts";
import type { Reader } from "../turn.ts";
import { type BulkExport, EXPORTS } from "./records.ts";

/** An export of this world, of any workspace: control operations have no workspace. */
export function requireExport(reader: Reader, id: string): BulkExport {
  const found = reader.get(EXPORTS, id);
  if (found) return found;
  const hint = "GET /api/v1/bulk-exports lists those of a workspace.";
  throw new Refusal(404, "not_found", `There is no bulk export ${id}.`, hint);
}
