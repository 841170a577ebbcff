import type { Note } from "../../kernel/commit.ts";
import { instantMs } from "../../kernel/instant.ts";
import { revision, type Turn, turns } from "../model/live.ts";

/** Something that happened, or will, at one instant (ms of virtual time). */
export interface Mark {
  readonly at: number;
  readonly tone: string;
  readonly label: string;
  /** The turn that it was; null for what is still to come. */
  readonly turn: number | null;
}

/** Something that lasts; `to` is null as long as it does. */
export interface Bar {
  readonly id: string;
  readonly from: number;
  to: number | null;
  tone: string;
  label: string;
  /** Instants at which an attempt has failed. */
  readonly notches: number[];
}

/** The lanes of the axis that hold single marks. */
export const MARK_LANES = {
  schedules: "Crons, schedules",
  webhooks: "Webhooks",
  limits: "Limits",
  faults: "Faults",
  requests: "Requests",
} as const;

export type MarkLane = keyof typeof MARK_LANES;

/** What the journal says of the lanes. */
export interface History {
  readonly begin: number;
  readonly marks: Readonly<Record<MarkLane, readonly Mark[]>>;
  readonly agentRuns: readonly Bar[];
  /** By run of an export: when its attempts have failed. */
  readonly failedAttempts: ReadonlyMap<string, readonly number[]>;
}

let read: History & { readonly revision: number } = { ...emptyHistory(), revision: -1 };

/** The history of the turns that are here; computed once for each arrival. */
export function historyNow(): History {
  if (read.revision !== revision.value) read = { ...historyOf(turns), revision: revision.value };
  return read;
}

/** What a list of turns, oldest first, says of the lanes. */
export function historyOf(list: readonly Turn[]): History {
  const [first] = list;
  const draft = { ...emptyHistory(), begin: first ? instantMs(first.now) : 0 };
  const runs = new Map<string, Bar>();
  for (const turn of list) {
    const at = instantMs(turn.now);
    const lane = laneOf(turn);
    if (lane) draft.marks[lane].push({ at, ...lookOf(turn), turn: turn.turn });
    for (const note of turn.notes ?? []) takeNote(draft, runs, note, at, turn.turn);
  }
  return { ...draft, agentRuns: [...runs.values()] };
}

type Draft = ReturnType<typeof emptyHistory>;

function takeNote(
  draft: Draft,
  runs: Map<string, Bar>,
  { kind, ref, detail = {} }: Note,
  at: number,
  turn: number,
): void {
  if (kind === "agent_run.moved") return moveRun(runs, ref, at, detail);
  if (kind === "export_run.failed")
    return void draft.failedAttempts.set(ref, [...(draft.failedAttempts.get(ref) ?? []), at]);
  const lane = kind === "fault.triggered" ? "faults" : kind.startsWith("webhook.") ? "webhooks" : undefined;
  if (!lane) return;
  const tone = kind === "webhook.delivered" ? "good" : "bad";
  draft.marks[lane].push({ at, tone, label: `${kind} ${ref}`, turn });
}

function emptyHistory() {
  const marks: Record<MarkLane, Mark[]> = {
    schedules: [],
    webhooks: [],
    limits: [],
    faults: [],
    requests: [],
  };
  return { begin: 0, marks, agentRuns: [] as Bar[], failedAttempts: new Map<string, number[]>() };
}

/** The lane that a turn has by its cause; its notes may have others. */
export function laneOf({ cause, refused }: Turn): MarkLane | undefined {
  if (refused?.status === 429) return "limits";
  if (cause.type === "request") return "requests";
  return laneOfEvent(cause.name);
}

/** The lane of an event by its kind. */
export function laneOfEvent(kind: string): MarkLane | undefined {
  if (kind === "cron.fire" || kind === "export.spawn") return "schedules";
  if (kind === "webhook.due") return "webhooks";
  if (kind === "faults.arm") return "faults";
  return undefined;
}

function lookOf({ cause, refused }: Turn): Pick<Mark, "tone" | "label"> {
  const status = refused ? ` ${refused.status}` : "";
  return { tone: refused ? "bad" : "plain", label: `${cause.name}${status}` };
}

function moveRun(
  runs: Map<string, Bar>,
  id: string,
  at: number,
  { to }: Readonly<Record<string, unknown>>,
): void {
  const status = String(to);
  const found = runs.get(id) ?? { id, from: at, to: null, tone: "", label: "", notches: [] };
  found.tone = status;
  found.label = `run ${id} ${status}`;
  found.to = status === "running" || status === "pending" ? null : at;
  runs.set(id, found);
}
