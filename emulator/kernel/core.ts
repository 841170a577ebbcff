import type { Cause, ClockState } from "./commit.ts";
import { createEffectQueue, type EffectQueue } from "./effect-queue.ts";
import type { Instant } from "./instant.ts";
import type { Journal } from "./journal.ts";
import { createPendingReplies, type PendingReplies } from "./pending-replies.ts";
import type { EventQueue } from "./queue.ts";
import type { Records } from "./records.ts";
import { DATA_DAMAGED, Refusal } from "./refusal.ts";
import { typedItems } from "./stored.ts";
import {
  createTurnFactory,
  type Turn,
  type TurnContext,
  type TurnFactory,
  type TurnOutcome,
  type TurnTrigger,
} from "./turn.ts";
import type { EffectKind, EffectOf, EventKind, EventOf, ResultOf, WorldTypes } from "./types.ts";
import type { WorldParts } from "./world-parts.ts";

/** More turns than this at one instant mean that events schedule each other without end. */
const MAX_TURNS_PER_INSTANT = 1_000_000;

/** The parts of a world and its mutable state. */
export interface Core<Types extends WorldTypes> {
  readonly parts: WorldParts<Types>;
  readonly turnFactory: TurnFactory<Types>;
  readonly ordinals: TurnContext<Types>["ordinals"];
  readonly records: Records;
  readonly queue: EventQueue<EventOf<Types>>;
  readonly effectQueue: EffectQueue<Types>;
  readonly pendingReplies: PendingReplies;
  readonly journal: Journal;
  now: Instant;
  clock: ClockState;
  inTurn: boolean;
  draining: boolean;
  defect: Error | undefined;
}

/** The parts of a world, before its first turn. */
export function createCore<Types extends WorldTypes>(parts: WorldParts<Types>): Core<Types> {
  const { image, ports, timeline } = parts;
  const records = image.records.copy();
  const pendingReplies = createPendingReplies();
  const ordinals = new Map(Object.entries(image.ordinals));
  const core: Core<Types> = {
    parts,
    records,
    pendingReplies,
    queue: timeline.createQueue(typedItems<EventOf<Types>>("event", parts.events, image.queue)),
    journal: timeline.journal,
    effectQueue: createEffectQueue({
      inFlight: typedItems<EffectOf<Types>>("effect", parts.effects, image.inFlight),
      runners: parts.effects,
      flush: parts.flush,
      deliver: (effect, result) => deliverResult(core, effect, result),
      fail(error) {
        poison(core, error);
        core.effectQueue.discardAll();
      },
    }),
    ordinals,
    turnFactory: createTurnFactory({
      seed: image.seed,
      ports,
      reader: records.reader,
      now: () => core.now,
      queue: () => core.queue,
      table: records.table,
      ordinals,
      setClock(next) {
        core.clock = next;
      },
      openPendingReply: pendingReplies.open,
    }),
    now: image.now,
    clock: image.clock,
    inTurn: false,
    draining: false,
    defect: undefined,
  };
  return core;
}

/** Runs one turn to its end and commits it; throws the defect of a world that has ended. */
export function runTurn<Types extends WorldTypes, R>(
  core: Core<Types>,
  cause: Cause,
  trigger: TurnTrigger,
  act: (turn: Turn<Types>) => R,
): R {
  if (core.defect) throw core.defect;
  if (core.inTurn) throw poison(core, new Error(`A turn (${cause.name}) began inside another.`));
  core.inTurn = true;
  const turn = core.turnFactory.open(core.journal.lastTurn + 1, cause);
  try {
    const value = act(turn);
    finish(core, core.turnFactory.close(trigger));
    return value;
  } catch (error) {
    if (!(error instanceof Refusal)) throw poison(core, error);
    noteRefusal(core, core.turnFactory.close(trigger), error);
    throw error;
  } finally {
    core.inTurn = false;
  }
}

function finish<Types extends WorldTypes>(
  core: Core<Types>,
  { commit, scheduled, effects, replies, isChange, replacedRows }: TurnOutcome<Types>,
): void {
  const { persist, afterTurn } = core.parts;
  if (isChange) persist(commit);
  if (commit.unscheduled) core.queue.remove(commit.unscheduled);
  for (const event of scheduled) core.queue.add(event);
  if (commit.settled !== undefined) core.effectQueue.settle(commit.settled);
  for (const effect of effects) core.effectQueue.add(effect);
  // The queue is updated before the journal: a clock follows the journal and sets its timer from the queue.
  core.journal.append(commit);
  afterTurn?.(commit, isChange, replacedRows);
  for (const { replyNumber, value } of replies) core.pendingReplies.resolve(replyNumber, value);
}

/** A turn that refused its request must not have written anything, unless it read a damaged file; otherwise the world is ended. */
function noteRefusal<Types extends WorldTypes>(
  core: Core<Types>,
  { commit, isChange, replacedRows }: TurnOutcome<Types>,
  { status, code, message }: Refusal,
): void {
  const { turn, now, cause } = commit;
  if (code === DATA_DAMAGED) core.records.undo(commit, replacedRows);
  else if (isChange && cause.type !== "control")
    throw poison(core, new Error(`${cause.name} refused after it had written: ${message}`));
  core.journal.append(code === DATA_DAMAGED ? { turn, now, cause } : commit, { status, code, message });
}

/** A broken invariant ends this world: every later call and every waiting request gets the error. */
function poison<Types extends WorldTypes>(core: Core<Types>, error: unknown): Error {
  core.defect ??= error instanceof Error ? error : new Error(String(error));
  core.journal.close();
  core.pendingReplies.resolveAll(core.defect);
  return core.defect;
}

/** Starts requested effects and fires due events until none remain at this instant. */
export function drain<Types extends WorldTypes>(core: Core<Types>): void {
  if (core.draining) return;
  core.draining = true;
  try {
    for (let turns = 0; core.effectQueue.startNext() || fireNext(core); turns += 1)
      if (turns > MAX_TURNS_PER_INSTANT)
        throw new Error(
          `More than ${MAX_TURNS_PER_INSTANT} turns ran at one instant: its events schedule each other.`,
        );
  } catch (error) {
    throw poison(core, error);
  } finally {
    core.draining = false;
    core.effectQueue.notifyIfIdle();
  }
}

function fireNext<Types extends WorldTypes>(core: Core<Types>): boolean {
  const event = core.queue.takeDue(core.now);
  if (event) fire(core, event);
  return event !== undefined;
}

function fire<Types extends WorldTypes, Kind extends EventKind<Types>>(
  core: Core<Types>,
  event: EventOf<Types, Kind>,
): void {
  const { number, kind, ref, cause } = event;
  const detail = { scheduled_by: cause };
  runTurn(core, { type: "event", name: kind, ref, detail }, { fired: number }, (turn) =>
    core.parts.events[event.kind](turn, event),
  );
}

/** Runs the turn for the result of an effect, then the events that have become due. */
export function deliverResult<Types extends WorldTypes, Kind extends EffectKind<Types>>(
  core: Core<Types>,
  effect: EffectOf<Types, Kind>,
  result: ResultOf<Types, Kind>,
): void {
  const { number, kind, ref } = effect;
  runTurn(core, { type: "effect", name: kind, ref }, { settled: number }, (turn) =>
    core.parts.results[effect.kind](turn, effect, result),
  );
  drain(core);
}
