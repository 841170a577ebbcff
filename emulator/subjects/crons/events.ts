import type { Instant } from "../../kernel/instant.ts";

export type CronEvents = {
  /** `next_run_date`: the cron's next run when the event was scheduled; a different value makes it stale. */
  readonly "cron.fire": { readonly next_run_date: Instant };
};
