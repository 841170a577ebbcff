import type {
  FAULT_PLANES,
  FAULT_PRESETS,
  FaultPlane,
  MatchKind,
  ThenOf,
} from "../../contracts/spec/faults.ts";

export type { FaultView } from "../subjects/faults/rules.ts";

type MatchOf<Plane extends FaultPlane> = {
  readonly [Name in keyof (typeof FAULT_PLANES)[Plane]["match"]]?: Matched<
    (typeof FAULT_PLANES)[Plane]["match"][Name]
  >;
};

type Matched<Kind> = Kind extends MatchKind
  ? Kind extends "count"
    ? number
    : Kind extends "number"
      ? number | readonly number[]
      : string | readonly string[]
  : never;

interface Bounds {
  /** Number of consecutive matching occasions it is triggered on; default 1. */
  readonly times?: number;
  /** ISO 8601 duration of virtual time after which it expires. */
  readonly ttl?: string;
  /** True for one that may stay without a hit; any other fails its scenario or test, and a run with --strict. */
  readonly optional?: boolean;
}

type Rule<Plane extends FaultPlane> = Bounds & {
  readonly plane: Plane;
  readonly match?: MatchOf<Plane>;
  readonly then: ThenOf<Plane>;
};

type Preset<Name extends keyof typeof FAULT_PRESETS> = Bounds & {
  readonly preset: Name;
  readonly match?: MatchOf<(typeof FAULT_PRESETS)[Name]["plane"]>;
};

/** A fault to arm: a rule of one plane, or a preset that stands for one. */
export type FaultOrder =
  | { [Plane in FaultPlane]: Rule<Plane> }[FaultPlane]
  | { [Name in keyof typeof FAULT_PRESETS]: Preset<Name> }[keyof typeof FAULT_PRESETS];
