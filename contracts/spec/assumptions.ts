import { AGENT_ASSUMPTIONS } from "./agent-assumptions.ts";
import type { Assumption } from "./assumption.ts";
import { CRON_ASSUMPTIONS } from "./cron-assumptions.ts";
import { DESTINATION_ASSUMPTIONS } from "./destination-assumptions.ts";
import { EXPORT_ASSUMPTIONS } from "./export-assumptions.ts";
import { EXPORT_FILE_ASSUMPTIONS } from "./export-file-assumptions.ts";
import { INGEST_ASSUMPTIONS } from "./ingest-assumptions.ts";
import { PLATFORM_ASSUMPTIONS } from "./platform-assumptions.ts";
import { QUERY_ASSUMPTIONS } from "./query-assumptions.ts";
import { RATE_LIMIT_ASSUMPTIONS } from "./rate-limit-assumptions.ts";
import { WEBHOOK_ASSUMPTIONS } from "./webhook-assumptions.ts";

/** Every silence and every conflict of the specification that the emulator had to decide. */
export const ASSUMPTIONS = {
  ...PLATFORM_ASSUMPTIONS,
  ...DESTINATION_ASSUMPTIONS,
  ...EXPORT_ASSUMPTIONS,
  ...EXPORT_FILE_ASSUMPTIONS,
  ...INGEST_ASSUMPTIONS,
  ...QUERY_ASSUMPTIONS,
  ...AGENT_ASSUMPTIONS,
  ...WEBHOOK_ASSUMPTIONS,
  ...CRON_ASSUMPTIONS,
  ...RATE_LIMIT_ASSUMPTIONS,
} as const satisfies Record<string, Assumption>;

export type AssumptionId = keyof typeof ASSUMPTIONS;

export const ASSUMPTION_IDS = Object.keys(ASSUMPTIONS) as readonly AssumptionId[];
