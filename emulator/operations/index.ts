import { BULK_EXPORT_HANDLERS } from "./bulk-exports.ts";
import { CRON_HANDLERS } from "./crons.ts";
import { DESTINATION_HANDLERS } from "./destinations.ts";
import type { Handlers } from "./handler.ts";
import { SYSTEM_HANDLERS } from "./system.ts";
import { TRACE_HANDLERS } from "./traces.ts";

/** One handler for every row of the operations table. */
export const HANDLERS: Handlers = {
  ...DESTINATION_HANDLERS,
  ...BULK_EXPORT_HANDLERS,
  ...TRACE_HANDLERS,
  ...CRON_HANDLERS,
  ...SYSTEM_HANDLERS,
};
