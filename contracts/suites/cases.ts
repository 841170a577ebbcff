import { bySection, type Case, sectionOfCase } from "../engine/case.ts";
import { AGENT_CASES } from "./agent.ts";
import { BUCKET_PERMISSION_CASES } from "./bucket-permissions.ts";
import { CALLER_CASES } from "./callers.ts";
import { COLUMN_CASES } from "./columns.ts";
import { DESTINATION_CASES } from "./destinations.ts";
import { EXPORT_REQUEST_CASES } from "./export-requests.ts";
import { EXPORT_CASES } from "./exports.ts";
import { EXTENSION_CASES } from "./extensions.ts";
import { FAILURE_CASES } from "./failures.ts";
import { FILE_CASES } from "./files.ts";
import { FILTER_CASES } from "./filters.ts";
import { FUZZ_CASES } from "./fuzz.ts";
import { LIFECYCLE_CASES } from "./lifecycle.ts";
import { LIMIT_CASES } from "./limits.ts";
import { LIST_PAIR_CASES } from "./list-pairs.ts";
import { QUERY_FORMAT_CASES } from "./query-formats.ts";
import { RATE_LIMIT_ROW_CASES } from "./rate-limit-rows.ts";
import { RATE_LIMIT_CASES } from "./rate-limits.ts";
import { RUN_FIELD_CASES } from "./run-fields.ts";
import { SCHEDULE_CASES } from "./schedules.ts";
import { STARTING_CASES } from "./starting-operations.ts";
import { THREAD_RUN_CASES } from "./thread-runs.ts";
import { TIMEOUT_CASES } from "./timeouts.ts";
import { VERSION_GATE_CASES } from "./version-gates.ts";
import { WEBHOOK_RULE_CASES } from "./webhook-rules.ts";
import { WEBHOOK_SETTING_CASES } from "./webhook-settings.ts";
import { WEBHOOK_CASES } from "./webhooks.ts";
import { WINDOW_EDGE_CASES } from "./window-edges.ts";

/** Cases that need the platform; an agent server alone cannot run them. */
const PLATFORM_CASES: readonly Case[] = [
  ...CALLER_CASES,
  ...DESTINATION_CASES,
  ...BUCKET_PERMISSION_CASES,
  ...EXPORT_CASES,
  ...EXPORT_REQUEST_CASES,
  ...VERSION_GATE_CASES,
  ...FILE_CASES,
  ...FILTER_CASES,
  ...COLUMN_CASES,
  ...LIFECYCLE_CASES,
  ...SCHEDULE_CASES,
  ...WINDOW_EDGE_CASES,
  ...FAILURE_CASES,
  ...TIMEOUT_CASES,
  ...LIMIT_CASES,
  ...RATE_LIMIT_CASES,
  ...RATE_LIMIT_ROW_CASES,
  ...FUZZ_CASES,
].map((row): Case => ({ ...row, needs: ["platform", ...row.needs] }));

/** Every case, in the order of the sections. */
export const CASES: readonly Case[] = [
  ...PLATFORM_CASES,
  ...RUN_FIELD_CASES,
  ...THREAD_RUN_CASES,
  ...LIST_PAIR_CASES,
  ...STARTING_CASES,
  ...AGENT_CASES,
  ...WEBHOOK_CASES,
  ...WEBHOOK_RULE_CASES,
  ...WEBHOOK_SETTING_CASES,
  ...EXTENSION_CASES,
  ...QUERY_FORMAT_CASES,
].sort((a, b) => bySection(sectionOfCase(a.id), sectionOfCase(b.id)));
