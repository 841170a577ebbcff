import type { DeliveryView } from "../../emulator/client/control-client.ts";
import { counted } from "../verdict.ts";

/** A delivery as the cells of a line. */
export function deliveryCells(delivery: DeliveryView): string[] {
  const { id, created_at, status, run_id, run_status, url, attempts, reason } = delivery;
  const last = attempts.at(-1);
  const outcome = last === undefined ? "" : `, last ${last.status ?? last.failure}`;
  return [
    created_at,
    id,
    status,
    `run ${run_id} ${run_status}`,
    `${counted(attempts.length, "attempt")}${outcome}`,
    reason === null ? url : `${url} (${reason})`,
  ];
}
