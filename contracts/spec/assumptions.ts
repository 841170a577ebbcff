import { AGENT_ASSUMPTIONS } from "./agent/assumptions.ts";
import { AGENT_REQUEST_ASSUMPTIONS } from "./agent/request-assumptions.ts";
import { type Assumption, type AssumptionRow, assumptionOf } from "./assumption.ts";
import { EXPORT_ASSUMPTIONS } from "./bulk-exports/assumptions.ts";
import { EXPORT_FILE_ASSUMPTIONS } from "./bulk-exports/file-assumptions.ts";
import { FILTER_ASSUMPTIONS } from "./bulk-exports/filter-assumptions.ts";
import { CRON_ASSUMPTIONS } from "./crons/assumptions.ts";
import { DESTINATION_ASSUMPTIONS } from "./destinations/assumptions.ts";
import { PLATFORM_ASSUMPTIONS } from "./platform-assumptions.ts";
import { QUERY_ASSUMPTIONS } from "./queries/assumptions.ts";
import { RATE_LIMIT_ASSUMPTIONS } from "./rate-limits/assumptions.ts";
import { INGEST_ASSUMPTIONS } from "./traces/assumptions.ts";
import { WEBHOOK_ASSUMPTIONS } from "./webhooks/assumptions.ts";

const ROWS = {
  ...PLATFORM_ASSUMPTIONS,
  ...DESTINATION_ASSUMPTIONS,
  ...EXPORT_ASSUMPTIONS,
  ...FILTER_ASSUMPTIONS,
  ...EXPORT_FILE_ASSUMPTIONS,
  ...INGEST_ASSUMPTIONS,
  ...QUERY_ASSUMPTIONS,
  ...AGENT_REQUEST_ASSUMPTIONS,
  ...AGENT_ASSUMPTIONS,
  ...WEBHOOK_ASSUMPTIONS,
  ...CRON_ASSUMPTIONS,
  ...RATE_LIMIT_ASSUMPTIONS,
};

export type AssumptionId = keyof typeof ROWS;

export const ASSUMPTION_IDS = Object.keys(ROWS) as readonly AssumptionId[];

/** Every choice of the emulator where the specification is silent or contradicts itself. */
export const ASSUMPTIONS = Object.fromEntries(
  Object.entries<AssumptionRow>(ROWS).map(([id, row]) => [id, assumptionOf(row)]),
) as Readonly<Record<AssumptionId, Assumption>>;
