import type { Note } from "../../kernel/commit.ts";
import { type Instant, instantMs } from "../../kernel/instant.ts";
import type { JournalEntry } from "../../kernel/journal.ts";
import { createMarkList } from "./mark-list.ts";
import { createMoves } from "./moves.ts";

/** The lanes of the time axis with single marks. */
export type MarkLane = "schedules" | "webhooks" | "limits" | "faults" | "requests";

/** Turns in order, such as a journal. */
export interface TurnList {
  size(): number;
  slice(begin: number, end: number): readonly JournalEntry[];
  positionOf(turn: number): number;
}

/** Time between two turns in which nothing happened. */
export interface Gap {
  readonly from: Instant;
  readonly to: Instant;
}

export type TurnIndex = ReturnType<typeof createTurnIndex>;

/** Shorter times without turns are not gaps. */
const MIN_GAP_MS = 5 * 60_000;

/** What the axis shows of the retained turns. It reads each turn once. */
export function createTurnIndex() {
  const turns = createMarkList();
  const gaps = createMarkList();
  const marks: Readonly<Record<MarkLane, ReturnType<typeof createMarkList>>> = {
    schedules: createMarkList(),
    webhooks: createMarkList(),
    limits: createMarkList(),
    faults: createMarkList(),
    requests: createMarkList(),
  };
  const moves = { agent_run: createMoves(), export: createMoves(), failed: createMoves() };
  const lists = [turns, gaps, ...Object.values(marks), ...Object.values(moves)];
  let [lastTurn, lastExportTurn] = [0, 0];

  function add(entry: JournalEntry): void {
    const { turn, notes = [], put = [] } = entry;
    const at = instantMs(entry.now);
    // A gap is at its end, and has its length as the label.
    const before = turns.at.at(-1);
    if (before !== undefined && at - before >= MIN_GAP_MS) gaps.add({ at, turn, label: String(at - before) });
    turns.add({ at, turn });
    const lane = laneOf(entry);
    if (lane) marks[lane].add({ at, turn, ...lookOf(entry) });
    if (put.some((name) => name.startsWith("bulk_export"))) lastExportTurn = turn;
    for (const note of notes) addNote(note, at, turn);
    lastTurn = turn;
  }

  function addNote({ kind, ref, detail }: Note, at: Instant, turn: number): void {
    const moved = MOVES[kind];
    if (moved) return moves[moved].add(ref, { turn, at, status: String(detail?.to) });
    const lane = laneOfNote(kind);
    const isBad = kind !== "webhook.delivered";
    if (lane) marks[lane].add({ at, turn, label: `${kind} ${ref}`, isBad });
  }

  return {
    turns,
    marks,
    moves,
    /** The longest gaps, in order. */
    longestGaps(count: number): readonly Gap[] {
      const all = gaps.at.map((to, index) => ({ from: to - Number(gaps.labels[index]), to }));
      const longest = all.sort((a, b) => b.to - b.from - (a.to - a.from)).slice(0, count);
      return longest.sort((a, b) => a.from - b.from);
    },
    get lastTurn() {
      return lastTurn;
    },
    /** The last turn that changed an export or a run of one. */
    get lastExportTurn() {
      return lastExportTurn;
    },
    /** Reads the turns that were added to the list since, at most so many; false when there are more. */
    update(list: TurnList, most = Number.POSITIVE_INFINITY): boolean {
      const begin = list.positionOf(lastTurn + 1);
      const entries = list.slice(begin, Math.min(list.size(), begin + most));
      for (const entry of entries) add(entry);
      const [first] = list.slice(0, 1);
      for (const each of lists) each.dropBefore(first?.turn ?? 0, lastTurn);
      // The first turn that is retained does not end a gap.
      gaps.dropBefore((first?.turn ?? 0) + 1);
      return begin + entries.length === list.size();
    },
  };
}

/** The notes of which bars are made. */
const MOVES: Readonly<Record<string, "agent_run" | "export" | "failed">> = {
  "agent_run.moved": "agent_run",
  "export.moved": "export",
  "export_run.failed": "failed",
};

function laneOfNote(kind: string): MarkLane | undefined {
  if (kind === "fault.triggered") return "faults";
  // The note that a test receiver skips a rule of the policy is not the end of a delivery.
  return kind.startsWith("webhook.") && kind !== "webhook.test_receiver" ? "webhooks" : undefined;
}

/** The lane of a turn by its cause. Its notes may be in other lanes. */
function laneOf({ cause, refused }: JournalEntry): MarkLane | undefined {
  if (refused?.status === 429) return "limits";
  if (cause.type === "request") return "requests";
  return refused ? undefined : laneOfEvent(cause.name);
}

export function laneOfEvent(kind: string): MarkLane | undefined {
  if (kind === "cron.fire" || kind === "export.spawn") return "schedules";
  if (kind === "webhook.due") return "webhooks";
  if (kind === "faults.arm") return "faults";
  return undefined;
}

function lookOf({ cause, refused }: JournalEntry) {
  return refused ? { label: `${cause.name} ${refused.status}`, isBad: true } : { label: cause.name };
}
