import type { EffectRunners } from "../kernel/effect-queue.ts";
import type { Reader as KernelReader, Turn as KernelTurn } from "../kernel/turn.ts";
import type { EffectKind, EffectOf, EventKind, EventOf, ResultOf } from "../kernel/types.ts";
import type { World as KernelWorld } from "../kernel/world.ts";
import type { AgentEvents } from "./agent/events.ts";
import type { BulkExportEffects, BulkExportEvents } from "./bulk-exports/events.ts";
import type { CronEvents } from "./crons/events.ts";
import type { Schedules } from "./crons/schedule.ts";
import type { DestinationEffects } from "./destinations/events.ts";
import type { FaultEffects, FaultEvents } from "./faults/events.ts";
import type { ObjectStorageEffects, ObjectStorageEvents } from "./object-storage/events.ts";
import type { BodyKeeper } from "./object-storage/staged.ts";
import type { QueryEffects } from "./queries/events.ts";
import type { RateLimiter } from "./rate-limits/limiter.ts";
import type { Settings } from "./settings.ts";
import type { TraceStore } from "./traces/port.ts";
import type { WebhookEffects, WebhookEvents } from "./webhooks/events.ts";

/** What the domain may call on from inside a turn: all of it synchronous, none of it a clock or a network. */
export interface Ports {
  readonly settings: Settings;
  readonly traces: TraceStore;
  readonly secrets: Secrets;
  readonly schedules: Schedules;
  /** Counts in memory only: it is not part of what a world keeps. */
  readonly limiter: RateLimiter;
  readonly bodies: BodyKeeper;
  /** Whether an endpoint is the emulator's own object store: none named, or its port on a loopback name. */
  isEmbedded(endpointUrl: string | null): boolean;
}

/** Keeps secrets encrypted at rest (§2.4-2). */
export interface Secrets {
  seal(plain: string): string;
  open(sealed: string): string;
}

/** What the emulator's worlds are typed by: the ports, and the events and effects of all subjects. */
export interface EmulatorTypes {
  readonly ports: Ports;
  readonly events: AgentEvents &
    BulkExportEvents &
    CronEvents &
    FaultEvents &
    ObjectStorageEvents &
    WebhookEvents;
  readonly effects: BulkExportEffects &
    DestinationEffects &
    FaultEffects &
    ObjectStorageEffects &
    QueryEffects &
    WebhookEffects;
}

/** A turn of this emulator. */
export type Turn = KernelTurn<EmulatorTypes>;
export type Reader = KernelReader;
export type World = KernelWorld<EmulatorTypes>;

/** An event of one kind, as its reaction is given it. */
export type Event<Kind extends EventKind<EmulatorTypes>> = EventOf<EmulatorTypes, Kind>;
/** An effect of one kind, as its runner and the reaction to its result are given it. */
export type Effect<Kind extends EffectKind<EmulatorTypes>> = EffectOf<EmulatorTypes, Kind>;
/** What an effect of one kind came to. */
export type Result<Kind extends EffectKind<EmulatorTypes>> = ResultOf<EmulatorTypes, Kind>;
/** What carries out the effects of these kinds. */
export type Runners<Kind extends EffectKind<EmulatorTypes>> = Pick<EffectRunners<EmulatorTypes>, Kind>;
