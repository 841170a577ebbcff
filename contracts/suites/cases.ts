import type { Case } from "../case.ts";
import { AGENT_CASES } from "./agent.ts";
import { BUCKET_PERMISSION_CASES } from "./bucket-permissions.ts";
import { CALLER_CASES } from "./callers.ts";
import { DESTINATION_CASES } from "./destinations.ts";
import { EXPORT_ORDER_CASES } from "./export-orders.ts";
import { EXPORT_CASES } from "./exports.ts";
import { FAILURE_CASES } from "./failures.ts";
import { FILE_CASES } from "./files.ts";
import { FUZZ_CASES } from "./fuzz.ts";
import { LIFECYCLE_CASES } from "./lifecycle.ts";
import { LIMIT_CASES } from "./limits.ts";
import { RATE_LIMIT_CASES } from "./rate-limits.ts";
import { THREAD_RUN_CASES } from "./thread-runs.ts";
import { TIMEOUT_CASES } from "./timeouts.ts";
import { WEBHOOK_CASES } from "./webhooks.ts";

/** Every case, in the order of the sections. */
export const CASES: readonly Case[] = [
  ...CALLER_CASES,
  ...THREAD_RUN_CASES,
  ...AGENT_CASES,
  ...DESTINATION_CASES,
  ...BUCKET_PERMISSION_CASES,
  ...EXPORT_CASES,
  ...EXPORT_ORDER_CASES,
  ...FILE_CASES,
  ...LIFECYCLE_CASES,
  ...FAILURE_CASES,
  ...TIMEOUT_CASES,
  ...LIMIT_CASES,
  ...WEBHOOK_CASES,
  ...RATE_LIMIT_CASES,
  ...FUZZ_CASES,
].sort((a, b) => bySection(a.id, b.id));

function bySection(a: string, b: string): number {
  const [first = [], second = []] = [a, b].map((id) => id.slice(0, id.indexOf("/")).split(".").map(Number));
  return (first[0] ?? 0) - (second[0] ?? 0) || (first[1] ?? 0) - (second[1] ?? 0);
}
