import type { Emulator } from "../../emulator/runtime/index.ts";
import { DESTINATION } from "./emulator.ts";

/** Creates an export of generated rows into the embedded store; gives its id. */
export async function createLibraryExport(
  emulator: Emulator,
  [start_time, end_time]: readonly [from: string, to: string],
  generate: { readonly count: number; readonly from?: string; readonly to?: string },
): Promise<string> {
  const { session_id } = await emulator.control("POST", "/traces/generate", generate);
  const post = async (path: string, json: object) =>
    ((await (await emulator.request(path, { json })).json()) as { id: string }).id;
  const bulk_export_destination_id = await post("/api/v1/bulk-exports/destinations", DESTINATION);
  const order = { bulk_export_destination_id, session_id, start_time, end_time };
  return post("/api/v1/bulk-exports", order);
}
