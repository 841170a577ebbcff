import type { Reader as KernelReader, Turn as KernelTurn } from "../kernel/turn.ts";
import type { Reaction as KernelReaction, World as KernelWorld } from "../kernel/world.ts";
import type { Schedules } from "./crons/schedule.ts";
import type { RateLimiter } from "./rate-limits/limiter.ts";
import type { Settings } from "./settings.ts";
import type { TraceStore } from "./traces/port.ts";

/** What the domain may call on from inside a turn: all of it synchronous, none of it a clock or a network. */
export interface Ports {
  readonly settings: Settings;
  readonly traces: TraceStore;
  readonly secrets: Secrets;
  readonly schedules: Schedules;
  /** Counts in memory only: it is not part of what a world keeps. */
  readonly limiter: RateLimiter;
  /** Whether an endpoint is the emulator's own object store: none named, or its port on a loopback name. */
  isEmbedded(endpointUrl: string | null): boolean;
}

/** Keeps secrets encrypted at rest (§2.4-2). */
export interface Secrets {
  seal(plain: string): string;
  open(sealed: string): string;
}

/** A turn with the ports of this emulator. */
export type Turn = KernelTurn<Ports>;
export type Reader = KernelReader;
export type Reaction = KernelReaction<Ports>;
export type World = KernelWorld<Ports>;
