import type { Instant } from "../../kernel/instant.ts";

/** Kernel events of agent runs. */
export type AgentEvents = {
  /** `thread`: key of the thread whose next pending run is started. */
  readonly "agent_run.due": { readonly thread: string };
  /** `emitted`: the run's number of completed steps; an event with another number is stale. */
  readonly "agent_run.step": { readonly emitted: number };
  /** `at`: when it is due; an event is stale when its thread expects another one. */
  readonly "agent_thread.expire": { readonly at: Instant };
};
