import type { Instant } from "../../kernel/instant.ts";
import { collection } from "../../kernel/table.ts";
import type { Json } from "../agent/records.ts";
import { type Workspace, workspaceKey } from "../workspace.ts";

/** A plan to start runs by the clock (§4.8). */
export interface Cron extends Workspace {
  readonly cron_id: string;
  readonly assistant_id: string;
  /** Null for one that makes a new thread for each of its runs. */
  readonly thread_id: string | null;
  readonly schedule: string;
  readonly timezone: string | null;
  /** No run is started after it. */
  readonly end_time: Instant | null;
  /** Null once it has come to its end, and while it is not enabled. */
  readonly next_run_date: Instant | null;
  /**
   * The first instant at which an event of its own waits; null while none does. Absent in older data,
   * where it is that of the next run.
   */
  readonly wakes_at?: Instant | null;
  readonly enabled: boolean;
  readonly on_run_completed: "delete" | "keep" | null;
  readonly metadata: Json;
  /** The body of the runs that it starts. */
  readonly payload: Json;
  readonly created_at: Instant;
  readonly updated_at: Instant;
}

export const CRONS = collection<Cron>("agent_crons", (cron) => cron.cron_id, workspaceKey);
