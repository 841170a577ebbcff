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
import type { ObjectStorageEvents } from "./object-storage/events.ts";
import type { BodyKeeper } from "./object-storage/staged.ts";
import type { QueryEffects } from "./queries/events.ts";
import type { RateLimiter } from "./rate-limits/limiter.ts";
import type { Settings } from "./settings.ts";
import type { TraceStore } from "./traces/port.ts";
import type { WebhookEffects, WebhookEvents } from "./webhooks/events.ts";

/** Ports that subjects may use inside a turn: synchronous, without clock or network. */
export interface Ports {
  readonly settings: Settings;
  readonly traces: TraceStore;
  readonly secrets: Secrets;
  readonly schedules: Schedules;
  /** In memory only; not part of a world's stored state. */
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

/** The type parameters of the emulator's worlds: ports, and the events and effects of all subjects. */
export interface EmulatorTypes {
  readonly ports: Ports;
  readonly events: AgentEvents &
    BulkExportEvents &
    CronEvents &
    FaultEvents &
    ObjectStorageEvents &
    WebhookEvents;
  readonly effects: BulkExportEffects & DestinationEffects & FaultEffects & QueryEffects & WebhookEffects;
}

export type Turn = KernelTurn<EmulatorTypes>;
export type Reader = KernelReader;
export type World = KernelWorld<EmulatorTypes>;

/** An event of one kind, as passed to its handler. */
export type Event<Kind extends EventKind<EmulatorTypes>> = EventOf<EmulatorTypes, Kind>;
/** An effect of one kind, as passed to its runner and to the handler of its result. */
export type Effect<Kind extends EffectKind<EmulatorTypes>> = EffectOf<EmulatorTypes, Kind>;
export type Result<Kind extends EffectKind<EmulatorTypes>> = ResultOf<EmulatorTypes, Kind>;
export type Runners<Kind extends EffectKind<EmulatorTypes>> = Pick<EffectRunners<EmulatorTypes>, Kind>;
