import type { Instant } from "../../kernel/instant.ts";

/** Port for cron schedules, because time zones depend on the machine's tables. */
export interface Schedules {
  /** The problem of an invalid schedule or time zone. */
  problem(schedule: string, timezone: string | null): ScheduleProblem | undefined;
  /** The first run after this instant; null when there is none. */
  next(schedule: string, timezone: string | null, after: Instant): Instant | null;
}

export interface ScheduleProblem {
  readonly field: "schedule" | "timezone";
  readonly message: string;
  readonly hint: string;
}
