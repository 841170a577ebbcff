import type { AssumptionRow } from "../assumption.ts";

/** Threads, runs and assistants of the agent server. */
export const AGENT_ASSUMPTIONS = {
  "agent.thread_statuses": {
    section: "3.2",
    requirement: "2.2-2",
    choice: "idle, busy, interrupted, error",
    reason: "Only idle is shown. Clients know these four.",
  },
  "agent.transitions": {
    requirement: "3.2-2",
    choice: "pending, running, then success, error, timeout or interrupted",
    reason: "No transition is shown. The runs of a thread work one at a time, in order of creation.",
  },
  "agent.thread_fields": {
    requirement: "2.2-1",
    choice: "the seven shown",
    alternatives: ["with interrupts"],
    reason: "Newer clients read the member interrupts, which the specification does not show.",
    observed: "with interrupts",
  },
  "agent.thread_ttl": {
    requirement: "2.2-1",
    choice: "on the virtual clock",
    alternatives: ["accepted without effect"],
    reason:
      "Not in the specification. Public clients send ttl, in minutes, with the strategy delete or keep_latest. After keep_latest the thread has no ttl.",
  },
  "agent.thread_ttl_start": {
    requirement: "2.2-1",
    choice: "the request that sets it",
    alternatives: ["the last activity"],
    reason:
      "The public service documents minutes from now on. Runs, state updates and metadata count as activity.",
  },
  "agent.thread_ttl_sweep": {
    requirement: "2.2-1",
    choice: "when it has passed",
    alternatives: ["at the next full hour"],
    reason: "The public service sweeps at an interval, so that an expired thread can be read for a while.",
  },
  "agent.thread_ttl_busy": {
    requirement: "2.2-1",
    choice: "when its runs have ended",
    alternatives: ["at once"],
    reason: "Whether the public service sweeps a thread with active runs is not documented.",
  },
  "agent.multitask_default": {
    requirement: "2.1-3",
    choice: "enqueue",
    alternatives: ["reject", "interrupt", "rollback"],
    reason: "No default is shown. The public service queues a run if its thread is busy.",
  },
  "agent.multitask_request": {
    section: "4.8",
    requirement: "2.1-3",
    choice: "a request may name a strategy; an unknown one is refused",
    reason: "The strategy is shown as a member of a run, not of the request. Public clients send it.",
  },
  "agent.request_values": {
    requirement: "4.8-2",
    choice: "422 for a stream_mode that is not known, and for a run without assistant_id",
    reason: "One mode is an example, and the specification requires none of the members.",
  },
  "agent.multitask_reject": {
    requirement: "2.1-3",
    choice: 409,
    alternatives: [422],
    reason: "The state of the thread does not allow another run.",
  },
  "agent.unknown_graph": {
    section: "7.1",
    requirement: "4.1-3",
    choice: 404,
    alternatives: [422],
    reason: "An assistant that does not exist is a 404, whether named by id or by graph.",
    observed: 422,
  },
  "agent.run_timeout": {
    requirement: "3.2-2",
    choice: "PT1H",
    reason: "The status timeout exists, but no duration. It counts from the start of the run.",
    setting: "limits.agent_run_timeout",
  },
  "agent.builtin_duration": {
    requirement: "3.2-2",
    choice: "PT0.1S",
    reason:
      "The duration of each step of the assistant agent. The assistant echo takes no time, slow ten seconds.",
    setting: "timings.agent_step",
  },
  "agent.stateless_thread": {
    requirement: "4.8-2",
    choice: "created for the run, and removed after it unless on_completion is keep",
    reason: "A run belongs to a thread (§2.1). A caller that named no thread does not need it afterwards.",
  },
  "agent.stream_framing": {
    requirement: "4.8-2",
    choice: "server-sent events: metadata first, error at the end of a failed run, no other end",
    reason: "Public clients read this format. A comment line keeps a quiet stream open.",
  },
  "agent.stream_resume": {
    requirement: "4.8-2",
    choice: "every run, with Last-Event-ID",
    reason: "Events are retained for a number of ended runs, so that a reader can reconnect.",
    setting: "limits.agent_kept_streams",
  },
  "agent.thread_stream": {
    requirement: "2.2-1",
    choice:
      "all runs of the thread, each in its own stream modes, until the client disconnects or the thread is deleted",
    reason:
      "Not in the specification. Public clients join it. A run ends with a metadata event, whose status is run_done. The mode lifecycle sends only metadata events. The mode state_update sends only the states that callers write. Last-Event-ID continues after an event; the value `-` starts with the first retained one.",
    setting: "limits.agent_kept_streams",
  },
  "agent.pruning": {
    requirement: "2.2-1",
    choice: "delete, or keep_latest; threads that do not exist are not counted",
    reason: "Not in the specification. Public clients prune threads by id, and delete by default.",
  },
  "agent.wait_outcome": {
    requirement: "4.8-4",
    choice: "final values, or only __error__ or __interrupt__",
    reason:
      "The operation answers when the run has ended. Public clients read these members, and the open-source server sends nothing else with them.",
  },
  "agent.follow_waits": {
    requirement: "4.8-4",
    choice: "a pending wait, join or stream moves a frozen clock to the next event of its run",
    reason: "A waiting test must not hang on a frozen clock. clock.follow_waits turns this off.",
  },
  "agent.rollback": {
    requirement: "3.2-2",
    choice: "the run is removed with its effects on the thread, and no webhook is sent",
    reason: "No final status describes a rolled-back run, so it never completes (§6). Its trace rows stay.",
  },
  "agent.breakpoints": {
    requirement: "4.8-2",
    choice: "runs of the built-in assistants stop at interrupt_before and interrupt_after",
    reason:
      "The effect of the fields is not shown. The run is interrupted, and its thread's state names the next node. A run without input, or with command.resume, continues there. Runs that a script controls have no nodes. checkpoint continues from an earlier state of the thread. goto of a command starts at a node. An unknown state or node is refused. update of a command is merged into the values instead of input.",
  },
  "agent.thread_states": {
    requirement: "2.2-1",
    choice: "one state for each step of a run, numbered on the thread from -1, before its first input",
    reason:
      "The states that a thread stores are not shown. The open-source server stores these. The states within a run are dropped with its stream (limits.agent_kept_streams); its last state stays.",
    setting: "limits.agent_checkpoints",
  },
  "agent.stream_order": {
    requirement: "4.8-2",
    choice: "updates, tasks, checkpoints, debug, values, messages, in any order of the requested modes",
    reason:
      "Only the mode events is shown. The order within a step is that of the open-source server. There a values event at an interrupt contains only __interrupt__.",
  },
  "agent.recursion_limit": {
    requirement: "2.1-1",
    choice:
      "the run ends with status error after recursion_limit nodes, or after recursion_limit + 2 if it continues without input",
    reason:
      "The effect of a run's configuration is not shown. Steps count as in the open-source server. By default steps are unlimited, since every built-in assistant takes at most ten.",
  },
  "agent.supersteps": {
    requirement: "4.8-3",
    choice: "each superstep of a created thread becomes one of its states",
    reason:
      "Other parameters of the operation are not shown. The graph is metadata.graph_id, as public clients send it. An unknown node may belong to a script; no node follows it.",
  },
  "agent.state_nodes": {
    requirement: "2.2-1",
    choice: "as_node is a node of the graph or of a script, __start__, __end__ or __copy__; otherwise a 422",
    reason:
      "Updates of a state are not shown. The open-source server refuses unknown nodes, and copies a state with __copy__: the same values, parent and next nodes, with the source fork. The nodes of configured graphs are not known, so every name is accepted there.",
  },
  "agent.values_bound": {
    requirement: "2.2-1",
    choice: "the run ends with status error; a direct update is a 413",
    reason:
      "No limit is shown. Every state is stored completely. After the error the thread keeps the results of the run so far. An update or a copy beyond the limit is refused and changes nothing.",
    setting: "limits.agent_values_bytes",
  },
  "agent.metadata_bound": {
    requirement: "2.2-1",
    choice: 413,
    reason:
      "Metadata is merged, so repeated changes would let a thread, an assistant or a cron grow without limit.",
    setting: "limits.agent_metadata_bytes",
  },
  "agent.waiting_events": {
    requirement: "3.2-2",
    choice: 409,
    reason:
      "Events of runs and crons wait in the queue until they are due, or until the run or cron is stopped or deleted. While the queue is full, new runs, crons and thread TTLs are refused, and existing ones continue.",
    setting: "limits.agent_waiting_events",
  },
  "agent.assistant_fields": {
    requirement: "4.8-3",
    choice: "those that public clients read",
    reason: "A search for assistants is shown in use. The fields of an assistant are not shown.",
  },
  "agent.created_by": {
    requirement: "4.8-3",
    choice:
      "the server's own assistants have created_by: system in their metadata; created ones have only their own",
    reason: "The metadata of assistants is not shown. Public clients look for assistants by this member.",
  },
  "agent.run_configurable": {
    requirement: "2.1-1",
    choice:
      "in kwargs, config.configurable has run_id, thread_id, graph_id and assistant_id in addition, and config.metadata is that of the run",
    reason: "The members of kwargs are not shown. Graphs of the open-source server read these.",
  },
  "agent.thread_config": {
    requirement: "2.2-1",
    choice: "the configurations of the thread's assistants and runs, merged; later runs use its configurable",
    reason: "Only the member config is shown. The open-source server merges it in this way.",
    setting: "limits.agent_metadata_bytes",
  },
  "agent.message_members": {
    requirement: "2.2-1",
    choice:
      "additional_kwargs and response_metadata in every message; tool_calls and invalid_tool_calls in those of type ai",
    reason: "Messages are not shown. Public clients read these members.",
  },
  "agent.interrupt_ids": {
    requirement: "2.2-1",
    choice: "32 hexadecimal digits; resume may be an object with an answer by id",
    reason: "Interrupts are not shown. Ids of the public service have this form, and clients answer by id.",
  },
  "agent.run_metadata": {
    requirement: "2.1-1",
    choice:
      "members of the assistant, the thread, the run's graph_id and assistant_id, the configuration and the request; later ones replace earlier ones",
    reason:
      "Metadata is free-form. The open-source server merges it in this way, and clients look for these two.",
  },
  "agent.supporting_operations": {
    section: "1",
    requirement: "4.8-3",
    choice: "counts, searches, states and graphs as public clients read them",
    reason: "Assistants and threads exist. The operations on them are not shown.",
  },
  "agent.trace_project": {
    section: "1",
    requirement: "X-1",
    choice: "named after the assistant",
    reason: "Agent runs can be exported. The project of their traces is not shown.",
  },
} as const satisfies Record<string, AssumptionRow>;
