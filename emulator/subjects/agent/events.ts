/** The events in the life of an agent run. */
export type AgentEvents = {
  /** `thread`: the key of the thread that looks for work. */
  readonly "agent_run.due": { readonly thread: string };
  /** `emitted`: how many steps the run has behind it; a stale event names another number. */
  readonly "agent_run.step": { readonly emitted: number };
};
