import type { Instant } from "../../kernel/instant.ts";
import { collection } from "../../kernel/table.ts";
import type { Json } from "../agent/records.ts";
import { type Workspace, workspaceKey } from "../workspace.ts";

/** A schedule that creates runs (§4.8). */
export interface Cron extends Workspace {
  readonly cron_id: string;
  readonly assistant_id: string;
  /** Null for a cron that creates a new thread for each run. */
  readonly thread_id: string | null;
  readonly schedule: string;
  readonly timezone: string | null;
  /** No run is started after it. */
  readonly end_time: Instant | null;
  /** Null after the end and while disabled. */
  readonly next_run_date: Instant | null;
  /**
   * When its earliest scheduled event is due; null while none is. Absent in older data, where it equals
   * `next_run_date`.
   */
  readonly wakes_at?: Instant | null;
  readonly enabled: boolean;
  readonly on_run_completed: "delete" | "keep" | null;
  readonly metadata: Json;
  /** The body of the runs that it creates. */
  readonly payload: Json;
  readonly created_at: Instant;
  readonly updated_at: Instant;
}

export const CRONS = collection<Cron>("agent_crons", (cron) => cron.cron_id, workspaceKey);
