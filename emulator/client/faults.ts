import type {
  FAULT_PRESETS,
  FAULT_REGIONS,
  FAULT_TARGETS,
  FaultPoint,
  FaultTarget,
  ThenOf,
} from "../../contracts/spec/faults.ts";
import type { OPERATIONS, OperationId } from "../../contracts/spec/operations.ts";
import type { S3Operation } from "../subjects/object-storage/permissions.ts";

export type { FaultView } from "../subjects/faults/rules.ts";

type MatchOf<Target extends FaultTarget> = {
  readonly [Name in keyof (typeof FAULT_TARGETS)[Target]["match"]]?: MatchValue<
    (typeof FAULT_TARGETS)[Target]["match"][Name]
  >;
};

type MatchValue<Kind> = Kind extends "count"
  ? number
  : Kind extends keyof Values
    ? Values[Kind] | readonly Values[Kind][]
    : never;

/** The values of a key of `match`: one value, or a list. */
interface Values {
  readonly text: string;
  readonly id: string;
  readonly point: FaultPoint | "*";
  readonly s3_operation: S3Operation | Pattern;
  readonly operation: OperationId | RouteOf<(typeof OPERATIONS)[OperationId]> | Pattern;
  readonly region: (typeof FAULT_REGIONS)[number] | "*";
  readonly number: number;
}

/** Text in which `*` stands for any run of characters. */
type Pattern = `${string}*${string}`;

type RouteOf<Each> = Each extends {
  readonly method: infer Verb extends string;
  readonly path: infer Path extends string;
}
  ?
      | `${Verb} ${Path}`
      | (Each extends { readonly alsoAt: readonly (infer Also extends string)[] } ? `${Verb} ${Also}` : never)
  : never;

interface Bounds {
  /** Number of consecutive matching occasions it is triggered on; default 1. */
  readonly times?: number;
  /** Virtual time after which it expires, a duration such as `6h`. */
  readonly ttl?: string;
  /** True for a fault that may stay untriggered; any other one then fails its scenario or test, and a run with --strict. */
  readonly optional?: boolean;
}

type Rule<Target extends FaultTarget> = Bounds & {
  readonly target: Target;
  readonly preset?: undefined;
  readonly match?: MatchOf<Target>;
  readonly then: ThenOf<Target>;
};

type Preset<Name extends keyof typeof FAULT_PRESETS> = Bounds & {
  readonly preset: Name;
  readonly target?: undefined;
  readonly match?: MatchOf<(typeof FAULT_PRESETS)[Name]["target"]>;
};

/** A fault to arm: a rule of one target, or a preset that stands for one. */
export type FaultOrder =
  | { [Target in FaultTarget]: Rule<Target> }[FaultTarget]
  | { [Name in keyof typeof FAULT_PRESETS]: Preset<Name> }[keyof typeof FAULT_PRESETS];
