import type { AdvanceResult } from "../../client/views.ts";
import type { Note } from "../../kernel/commit.ts";
import { instantMs } from "../../kernel/instant.ts";
import { revision, type Turn, turns } from "../model/live.ts";

/** An event, recorded or predicted, at one instant (ms of virtual time). */
export interface Mark {
  readonly at: number;
  readonly tone: string;
  readonly label: string;
  /** The turn of the event; null for a predicted event. */
  readonly turn: number | null;
}

/** An activity with a duration; `to` is null while it is running. */
export interface Bar {
  readonly id: string;
  readonly from: number;
  to: number | null;
  tone: string;
  label: string;
  /** The times of failed attempts. */
  readonly notches: number[];
}

/** The lanes of the axis with single marks. */
export const MARK_LANES = {
  schedules: "Crons, schedules",
  webhooks: "Webhooks",
  limits: "Limits",
  faults: "Faults",
  requests: "Requests",
} as const;

export type MarkLane = keyof typeof MARK_LANES;

/** The content of the lanes, from the journal. */
export interface History {
  /** The times of all turns, in order. */
  readonly instants: readonly number[];
  readonly marks: Readonly<Record<MarkLane, readonly Mark[]>>;
  readonly agentRuns: readonly Bar[];
  /** Exports and schedules, where their records are not at hand. */
  readonly exports: readonly Bar[];
  /** The times of failed attempts, by run of an export. */
  readonly failedAttempts: ReadonlyMap<string, readonly number[]>;
}

/** The result of a dry run. */
export interface Future {
  readonly fired: AdvanceResult["fired"];
  readonly total: number;
  /** The assumptions of the dry run. */
  readonly assumed: readonly string[];
  /** Why the dry run failed, if it did. */
  readonly problem: string | null;
}

let cachedHistory: History & { readonly revision: number } = { ...emptyHistory(), revision: -1 };

/** The history of all turns; computed once per revision. */
export function historyNow(): History {
  if (cachedHistory.revision !== revision.value)
    cachedHistory = { ...historyOf(turns), revision: revision.value };
  return cachedHistory;
}

/** The content of the lanes for a list of turns, oldest first. */
export function historyOf(list: readonly Turn[]): History {
  const draft = emptyHistory();
  const bars: Bars = { agent_run: new Map(), export: new Map() };
  for (const turn of list) {
    const at = instantMs(turn.now);
    if (draft.instants.at(-1) !== at) draft.instants.push(at);
    const lane = laneOf(turn);
    if (lane) draft.marks[lane].push({ at, ...lookOf(turn), turn: turn.turn });
    for (const note of turn.notes ?? []) addNote(draft, bars, note, at, turn.turn);
  }
  return { ...draft, agentRuns: [...bars.agent_run.values()], exports: [...bars.export.values()] };
}

/** The bars of runs and exports by id. */
type Bars = Readonly<Record<"agent_run" | "export", Map<string, Bar>>>;

type Draft = ReturnType<typeof emptyHistory>;

function addNote(draft: Draft, bars: Bars, { kind, ref, detail = {} }: Note, at: number, turn: number): void {
  if (kind === "agent_run.moved") return moveBar(bars, "agent_run", ref, at, detail);
  if (kind === "export.moved") return moveBar(bars, "export", ref, at, detail);
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
  return {
    instants: [] as number[],
    marks,
    agentRuns: [] as Bar[],
    exports: [] as Bar[],
    failedAttempts: new Map<string, number[]>(),
  };
}

/** The lane of a turn by its cause. Its notes may be in other lanes. */
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

const OPEN = new Set(["running", "pending", "created"]);

function moveBar(
  bars: Bars,
  kind: keyof Bars,
  id: string,
  at: number,
  { to }: Readonly<Record<string, unknown>>,
): void {
  const status = String(to);
  const bar = bars[kind].get(id) ?? { id, from: at, to: null, tone: "", label: "", notches: [] };
  bar.tone = status;
  bar.label = `${kind === "export" ? "export" : "run"} ${id} ${status}`;
  bar.to = OPEN.has(status.toLowerCase()) ? null : at;
  bars[kind].set(id, bar);
}
