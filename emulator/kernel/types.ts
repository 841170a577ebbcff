import type { Effect } from "./commit.ts";
import type { DueEvent } from "./queue.ts";

/** Input and result types of one kind of effect. */
export interface EffectTypes {
  readonly data: object;
  readonly result: object;
}

/** Type parameters of a world: the kernel defines no events, effects or ports. */
export interface WorldTypes {
  /** The ports that a turn may call. */
  readonly ports: unknown;
  /** The data of every kind of event. */
  readonly events: Readonly<Record<string, object>>;
  /** The data and the result of every kind of effect. */
  readonly effects: Readonly<Record<string, EffectTypes>>;
}

/** For events and effects that carry nothing. */
export type NoData = Readonly<Record<string, never>>;

export type EventKind<Types extends WorldTypes> = keyof Types["events"] & string;
export type EffectKind<Types extends WorldTypes> = keyof Types["effects"] & string;

/** An event of one kind, or of any: a union discriminated by `kind`. */
export type EventOf<Types extends WorldTypes, Kind extends EventKind<Types> = EventKind<Types>> = {
  readonly [Each in Kind]: DueEvent & { readonly kind: Each; readonly data: Types["events"][Each] };
}[Kind];

/** An effect of one kind, or of any. */
export type EffectOf<Types extends WorldTypes, Kind extends EffectKind<Types> = EffectKind<Types>> = {
  readonly [Each in Kind]: Effect & { readonly kind: Each; readonly data: Types["effects"][Each]["data"] };
}[Kind];

/** The result of an effect that was in flight when the process ended. */
export const INTERRUPTED = { failure: "interrupted", message: "the emulator was restarted" } as const;

/** The result of an effect: its runner's, or an interruption by the end of the process. */
export type ResultOf<Types extends WorldTypes, Kind extends EffectKind<Types> = EffectKind<Types>> =
  | Types["effects"][Kind]["result"]
  | typeof INTERRUPTED;
