import type { Cause, ClockState, Commit, Note, StoredRecord } from "./commit.ts";
import { idFor } from "./ids.ts";
import type { Instant } from "./instant.ts";
import type { EventQueue } from "./queue.ts";
import type { Collection, GroupRange, PageRange, ReplacedRow, Row, Table } from "./table.ts";
import type { EffectKind, EffectOf, EventKind, EventOf, WorldTypes } from "./types.ts";

/** Read access to the records of a world. */
export interface Reader {
  get<T>(kind: Collection<T>, id: string): T | undefined;
  /** Records of a group, by default of all groups, in the order in which they were first put. */
  list<T>(kind: Collection<T>, group?: string): Iterable<T>;
  count<T>(kind: Collection<T>, ...range: readonly [] | GroupRange): number;
  /** Part of a group of a collection with labels, at a cost that does not grow with the group. */
  page<T>(kind: Collection<T>, range: PageRange): readonly T[];
}

/** An event that a turn makes due `afterMs` of virtual time from its own instant. */
export type EventRequest<Types extends WorldTypes, Kind extends EventKind<Types> = EventKind<Types>> = {
  readonly [Each in Kind]: {
    readonly kind: Each;
    readonly ref: string;
    readonly afterMs: number;
    readonly data: Types["events"][Each];
  };
}[Kind];

/** An effect as requested by a turn; its number is assigned then. */
export type EffectRequest<Types extends WorldTypes, Kind extends EffectKind<Types> = EffectKind<Types>> = {
  readonly [Each in Kind]: {
    readonly kind: Each;
    readonly ref: string;
    readonly lane: string;
    readonly data: Types["effects"][Each]["data"];
  };
}[Kind];

/** The reply to a request that waits for an effect or an event. */
export interface PendingReply {
  readonly [PENDING_REPLY]: true;
  readonly number: number;
}

const PENDING_REPLY = Symbol("pending reply");

/** Whether a handler returned a pending reply instead of a body. */
export function isPendingReply(value: unknown): value is PendingReply {
  return typeof value === "object" && value !== null && PENDING_REPLY in value;
}

/** What one request or one event may do. It runs alone, to its end, at one instant of virtual time. */
export interface Turn<Types extends WorldTypes> extends Reader {
  readonly now: Instant;
  readonly ports: Types["ports"];
  put<T>(kind: Collection<T>, record: T): void;
  remove<T>(kind: Collection<T>, id: string): void;
  nextId(kind: string): string;
  /** Makes an event due `afterMs` from now; one that is stale when it fires is dropped then. */
  schedule<Kind extends EventKind<Types>>(event: EventRequest<Types, Kind>): void;
  /** Removes all queued events of a subject. */
  unschedule(ref: string): void;
  /** Number of queued events, including stale ones and those of this turn; used to refuse more. */
  pendingEventCount(): number;
  /** Requests an effect outside of the turn; its result arrives in a later turn. */
  requestEffect<Kind extends EffectKind<Types>>(effect: EffectRequest<Types, Kind>): void;
  /** Defers the reply to a later turn. */
  deferReply(): PendingReply;
  resolveReply(replyNumber: number, value: unknown): void;
  setClock(clock: ClockState): void;
  /** Adds a note to the journal. */
  note(kind: string, ref: string, detail?: Note["detail"]): void;
}

/** What a turn works on: the parts of a world that it may change. */
export interface TurnContext<Types extends WorldTypes> {
  readonly seed: number;
  readonly ports: Types["ports"];
  readonly reader: Reader;
  now(): Instant;
  readonly queue: () => Pick<EventQueue<EventOf<Types>>, "size" | "numbersOf">;
  table<T>(kind: Collection<T>): Table<T>;
  readonly ordinals: Map<string, number>;
  setClock(clock: ClockState): void;
  openPendingReply(number: number): void;
}

/** The event or the effect that a turn completes. */
export interface TurnTrigger {
  readonly fired?: number;
  readonly settled?: number;
}

/** The result of a turn: its commit, and the events and effects to process after it is stored. */
export interface TurnOutcome<Types extends WorldTypes> {
  readonly commit: Commit;
  /** The events and effects of the commit, with their types. */
  readonly scheduled: readonly EventOf<Types>[];
  readonly effects: readonly EffectOf<Types>[];
  readonly replies: readonly { readonly replyNumber: number; readonly value: unknown }[];
  /** True when the commit must be persisted. */
  readonly isChange: boolean;
  /** The previous rows of the records that it replaced or removed. */
  readonly replacedRows: readonly ReplacedRow[];
}

/** Runs the turns of one world in sequence, reusing one turn object. */
export interface TurnFactory<Types extends WorldTypes> {
  open(number: number, cause: Cause): Turn<Types>;
  /** Ends the turn and returns its outcome. */
  close(trigger: TurnTrigger): TurnOutcome<Types>;
}

/** One reused turn object: a new one per request would create dozens of closures. */
export function createTurnFactory<Types extends WorldTypes>(context: TurnContext<Types>): TurnFactory<Types> {
  let draft: Draft<Types> | undefined;

  function current(): Draft<Types> {
    if (!draft) throw new Error("A turn was used after its end.");
    return draft;
  }

  const turn: Turn<Types> = {
    ...context.reader,
    ...writerOf(context, current),
    ...plannerOf(context, current),
    ports: context.ports,
    get now() {
      return context.now();
    },
  };
  return {
    open(number, cause) {
      draft = { turn: number, now: context.now(), cause };
      return turn;
    },
    close(trigger) {
      const finishedDraft = current();
      draft = undefined;
      return outcomeOf(finishedDraft, trigger);
    },
  };
}

/** The changes of a turn so far; most turns only read. */
interface Draft<Types extends WorldTypes> {
  readonly turn: number;
  readonly now: Instant;
  readonly cause: Cause;
  /** By collection and key. */
  put?: Record<string, Map<string, StoredRecord>>;
  removed?: Record<string, Set<string>>;
  replaced?: ReplacedRow[];
  scheduled?: EventOf<Types>[];
  unscheduled?: ReadonlySet<number>;
  effects?: EffectOf<Types>[];
  ordinals?: Record<string, number>;
  notes?: Note[];
  replies?: { readonly replyNumber: number; readonly value: unknown }[];
  clock?: ClockState;
}

type WriterOf<Types extends WorldTypes> = Pick<Turn<Types>, "put" | "remove" | "setClock" | "note">;

function writerOf<Types extends WorldTypes>(
  context: TurnContext<Types>,
  current: () => Draft<Types>,
): WriterOf<Types> {
  /** Notes the row before the first change of a record in this turn. */
  function noteReplaced(
    draft: Draft<Types>,
    collection: string,
    key: string,
    row: Row<unknown> | undefined,
  ): void {
    if (!row || draft.put?.[collection]?.has(key) || draft.removed?.[collection]?.has(key)) return;
    draft.replaced ??= [];
    draft.replaced.push({ collection, key, row });
  }

  return {
    put(kind, record) {
      const draft = current();
      const key = kind.idOf(record);
      noteReplaced(draft, kind.name, key, context.table(kind).put(record, key));
      draft.put ??= {};
      const changedRecords = draft.put[kind.name] ?? new Map<string, StoredRecord>();
      draft.put[kind.name] = changedRecords.set(key, { key, record });
    },
    remove(kind, id) {
      const draft = current();
      noteReplaced(draft, kind.name, id, context.table(kind).remove(id));
      draft.put?.[kind.name]?.delete(id);
      draft.removed ??= {};
      draft.removed[kind.name] = (draft.removed[kind.name] ?? new Set<string>()).add(id);
    },
    setClock(next) {
      current().clock = next;
      context.setClock(next);
    },
    note(kind, ref, detail) {
      const draft = current();
      draft.notes ??= [];
      draft.notes.push({ kind, ref, ...(detail && { detail }) });
    },
  };
}

type PlannerOf<Types extends WorldTypes> = Pick<
  Turn<Types>,
  "nextId" | "schedule" | "unschedule" | "pendingEventCount" | "requestEffect" | "deferReply" | "resolveReply"
>;

function plannerOf<Types extends WorldTypes>(
  context: TurnContext<Types>,
  current: () => Draft<Types>,
): PlannerOf<Types> {
  function nextOrdinal(kind: string): number {
    const draft = current();
    const ordinal = (context.ordinals.get(kind) ?? 0) + 1;
    context.ordinals.set(kind, ordinal);
    draft.ordinals ??= {};
    draft.ordinals[kind] = ordinal;
    return ordinal;
  }

  return {
    nextId: (kind) => idFor(context.seed, kind, nextOrdinal(kind)),
    schedule<Kind extends EventKind<Types>>({ kind, ref, afterMs, data }: EventRequest<Types, Kind>) {
      const draft = current();
      draft.scheduled ??= [];
      const [at, cause] = [draft.now + afterMs, draft.cause.name];
      draft.scheduled.push({ number: nextOrdinal("event"), at, kind, ref, data, cause });
    },
    unschedule(ref) {
      const draft = current();
      if (draft.scheduled) draft.scheduled = draft.scheduled.filter((event) => event.ref !== ref);
      draft.unscheduled = new Set([...(draft.unscheduled ?? []), ...context.queue().numbersOf(ref)]);
    },
    pendingEventCount() {
      const { scheduled, unscheduled } = current();
      return context.queue().size + (scheduled?.length ?? 0) - (unscheduled?.size ?? 0);
    },
    requestEffect(effect) {
      const draft = current();
      draft.effects ??= [];
      draft.effects.push({ number: nextOrdinal("effect"), ...effect });
    },
    deferReply() {
      // Ids are persistent, so that after a restart an old reply cannot match a new request.
      const number = nextOrdinal("reply");
      context.openPendingReply(number);
      return { [PENDING_REPLY]: true, number };
    },
    resolveReply(replyNumber, value) {
      const draft = current();
      draft.replies ??= [];
      draft.replies.push({ replyNumber, value });
    },
  };
}

/** Removes empty members from a commit. Its lists are exact copies, because pushed arrays reserve memory and commits are retained. */
function outcomeOf<Types extends WorldTypes>(
  draft: Draft<Types>,
  { fired, settled }: TurnTrigger,
): TurnOutcome<Types> {
  const { turn, now, cause, put, removed, scheduled, unscheduled } = draft;
  const { effects, ordinals, clock, notes, replies = [] } = draft;
  const replacedRows = draft.replaced?.slice() ?? NOTHING;
  const commit: { -readonly [Member in keyof Commit]: Commit[Member] } = { turn, now, cause };
  if (put) commit.put = listsOf(put);
  if (removed) commit.removed = listsOf(removed);
  if (scheduled?.length) commit.scheduled = scheduled.slice();
  if (unscheduled?.size) commit.unscheduled = [...unscheduled];
  if (effects) commit.effects = effects.slice();
  if (ordinals) commit.ordinals = ordinals;
  if (clock) commit.clock = clock;
  if (fired !== undefined) commit.fired = fired;
  if (settled !== undefined) commit.settled = settled;
  // Notes alone need not be persisted.
  const isChange = Object.keys(commit).length > COMMIT_BASE_MEMBERS || cause.type === "control";
  if (notes) commit.notes = notes.slice();
  return { commit, scheduled: scheduled ?? [], effects: effects ?? [], replies, isChange, replacedRows };
}

/** Shared by the many turns that replace no rows. */
const NOTHING: readonly ReplacedRow[] = [];

/** Members that every commit has. */
const COMMIT_BASE_MEMBERS = 3;

function listsOf<T>(
  changes: Readonly<Record<string, Map<string, T> | Set<T>>>,
): Record<string, readonly T[]> {
  const lists: Record<string, readonly T[]> = {};
  for (const name in changes) lists[name] = [...(changes[name] as Map<string, T> | Set<T>).values()];
  return lists;
}
