import type { Instant } from "../../kernel/instant.ts";

export type CronEvents = {
  /** `next_run_date`: the firing that the cron expected when this was scheduled. */
  readonly "cron.fire": { readonly next_run_date: Instant };
};
