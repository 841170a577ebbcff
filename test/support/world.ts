import { resolveConfiguration } from "../../emulator/config/resolve.ts";
import { type AdvanceTarget, advance } from "../../emulator/kernel/advance.ts";
import {
  type Commit,
  type Effect,
  emptyState,
  type Note,
  type WorldState,
} from "../../emulator/kernel/commit.ts";
import { parseDuration } from "../../emulator/kernel/duration.ts";
import type { EffectRunners } from "../../emulator/kernel/effect-queue.ts";
import { imageOf } from "../../emulator/kernel/image.ts";
import type { JournalEntry } from "../../emulator/kernel/journal.ts";
import { Refusal } from "../../emulator/kernel/refusal.ts";
import { liveTimeline } from "../../emulator/kernel/timeline.ts";
import { createWorld } from "../../emulator/kernel/world.ts";
import { COLLECTIONS, eventReactions, RESULT_REACTIONS } from "../../emulator/runtime/assembly.ts";
import { STUBBED_EFFECTS } from "../../emulator/runtime/worlds/dry-run.ts";
import { createSchedules } from "../../emulator/subjects/crons/schedules.ts";
import { REQUEST_EFFECTS } from "../../emulator/subjects/faults/effects.ts";
import { armFault, type FaultView, faultById, faultView } from "../../emulator/subjects/faults/rules.ts";
import { createDelays, type Delays } from "../../emulator/subjects/object-storage/delays.ts";
import { createRateLimiter } from "../../emulator/subjects/rate-limits/limiter.ts";
import type { Settings } from "../../emulator/subjects/settings.ts";
import type { TraceStore } from "../../emulator/subjects/traces/port.ts";
import type { EmulatorTypes, Ports, Turn } from "../../emulator/subjects/turn.ts";

export const BEGIN = Date.UTC(2026, 2, 1);
export const WORKSPACE = { region: "us", tenant_id: "00000000-0000-4000-8000-000000000001" };

/** The settings that these keys of a configuration file come to; throws what is wrong with them. */
export async function settingsWith(options: Record<string, unknown> = {}): Promise<Settings> {
  const resolution = await resolveConfiguration({ cwd: "/", env: {}, options });
  if (!resolution.ok) throw new Error(resolution.problems.join("\n"));
  return resolution.configuration.settings;
}

export const DEFAULTS = await settingsWith();

/** Secrets that differ from their plain text, without a cipher. */
const SECRETS = {
  seal: (plain: string) => [...plain].reverse().join(""),
  open: (sealed: string) => [...sealed].reverse().join(""),
};

export interface WorldOptions {
  readonly settings?: Settings;
  /** They replace an empty store, secrets that are only reversed, and endpoints that are all embedded. */
  readonly ports?: Partial<Omit<Ports, "settings" | "traces">> & { readonly traces?: Partial<TraceStore> };
  /** Effects that are really done; the others are stubbed as in a dry run. */
  readonly effects?: Partial<EffectRunners<EmulatorTypes>>;
  /** Requests to the object store that a fault delays. */
  readonly delays?: Delays;
  /** The state to resume from; by default the world is new. */
  readonly state?: WorldState;
  readonly seed?: number;
  /** Unix milliseconds. */
  readonly now?: number;
}

export type TestWorld = ReturnType<typeof openWorld>;

/** All records and all reactions of the emulator over a kernel world with a frozen clock, without files or network. */
export function openWorld(options: WorldOptions = {}) {
  const settings = options.settings ?? DEFAULTS;
  const followers: ((entry: JournalEntry) => void)[] = [];
  const commits: Commit[] = [];
  const heldEffects: { readonly effect: Effect; readonly run: () => void }[] = [];
  let isHolding = false;
  let state =
    options.state ?? emptyState(options.seed ?? 1, options.now ?? BEGIN, { mode: "frozen", rate: 1 });
  let world = open(state);

  function open(state: WorldState) {
    return createWorld<EmulatorTypes>({
      ports: {
        secrets: SECRETS,
        schedules: createSchedules(),
        limiter: createRateLimiter(settings.rateLimits),
        bodies: { keep: () => undefined, drop: () => undefined, dropBucket: () => undefined },
        isEmbedded: () => true,
        ...options.ports,
        traces: (options.ports?.traces ?? {}) as TraceStore,
        settings,
      },
      image: imageOf(state, COLLECTIONS),
      events: eventReactions(options.delays ?? createDelays()),
      results: RESULT_REACTIONS,
      effects: holdable({ ...STUBBED_EFFECTS, ...REQUEST_EFFECTS, ...options.effects }),
      persist: (commit) => void commits.push(commit),
      flush: () => undefined,
      timeline: liveTimeline(200_000, state.turn),
    });
  }

  function holdable(effects: EffectRunners<EmulatorTypes>): EffectRunners<EmulatorTypes> {
    const hold = (run: (effect: never) => Promise<unknown>) => async (effect: Effect) => {
      if (isHolding) await new Promise<void>((release) => heldEffects.push({ effect, run: release }));
      return run(effect as never);
    };
    const holding = Object.entries(effects).map(([kind, run]) => [kind, hold(run)]);
    return Object.fromEntries(holding) as EffectRunners<EmulatorTypes>;
  }

  /** Waits until the running effects have ended, or, while effects are held, until none of them can continue. */
  async function effectsStalled(settled: Promise<void>): Promise<boolean> {
    const ended = settled.then(() => false);
    if (!isHolding) return ended;
    return Promise.race([ended, new Promise<boolean>((stalled) => setImmediate(() => stalled(true)))]);
  }

  const turn = <R>(act: (turn: Turn) => R): R => world.turn({ type: "request", name: "test" }, act);

  return {
    /** Another one after `resume`. */
    get world() {
      return world;
    },
    get reader() {
      return world.reader;
    },
    settings,
    /** What the world has asked to be kept. */
    commits,
    /** Does something as a request would: one that refuses after it has written is a defect. */
    turn,
    arm: (fault: unknown): FaultView => turn((open) => armFault(open, fault)),
    fault: (id: string): FaultView => faultView(faultById(world.reader, id), world.now),
    /** Milliseconds, or an ISO 8601 duration. */
    advance: (by: number | string, more: Partial<AdvanceTarget> = {}) =>
      advance(world, {
        to: world.now + (typeof by === "number" ? by : (parseDuration(by) as number)),
        effectsStalled,
        maxEvents: 20_000,
        ...more,
      }),
    /** The notes of one kind in the journal, with the time of their turn. */
    notes: (kind: string): readonly (Note & { readonly now: string })[] =>
      world.journal
        .since(0)
        .flatMap(({ now, notes = [] }) => notes.map((note) => ({ ...note, now })))
        .filter((note) => note.kind === kind),
    /** Hears of every turn, those after `resume` included. */
    follow(listener: (entry: JournalEntry) => void): void {
      followers.push(listener);
      world.journal.follow(listener);
    },
    /** Lets effects end that need no more than the event loop. */
    settle: () => new Promise<void>((done) => setImmediate(done)),
    /** From now on effects begin and do not end. */
    hold(): void {
      isHolding = true;
    },
    /** Lets held effects end. */
    release(): void {
      isHolding = false;
      for (const { run } of heldEffects.splice(0)) run();
    },
    /** `kill -9`: names the effects that were held; `resume` follows. */
    interrupt(): readonly Effect[] {
      state = JSON.parse(JSON.stringify(world.state()));
      world.end(new Refusal(503, "killed", "killed"));
      isHolding = false;
      return heldEffects.splice(0).map(({ effect }) => effect);
    },
    /** A new start with what the process had kept when it was killed. */
    resume(): void {
      world = open(state);
      for (const listener of followers) world.journal.follow(listener);
      world.recover();
    },
  };
}

/** Adds verbs of a subject to those of the world; after `resume`, `world` is the current one. */
export function withVerbs<Base extends object, Verbs extends object>(base: Base, verbs: Verbs): Base & Verbs {
  return Object.create(base, Object.getOwnPropertyDescriptors(verbs));
}
