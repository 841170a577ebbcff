export type AssumptionValue = string | number | boolean;

/** A choice of ours where the specification is silent or contradicts itself. */
export interface Assumption {
  readonly section: string;
  readonly requirement: string;
  readonly choice: AssumptionValue;
  /** What it can be set to instead; none where nothing else is built. */
  readonly alternatives: readonly AssumptionValue[];
  /** Those of them that a shown statement rules out: a server that has one does not obey the specification. */
  readonly ruledOut?: readonly AssumptionValue[];
  readonly reason: string;
  /** What the profile `observed` sets it to. */
  readonly observed?: AssumptionValue;
  /** The value is a setting of its own kind, to be changed under this name. */
  readonly setting?: string;
  /** It changes under `assumptions.<id>` of the configuration. */
  readonly switchable?: true;
}
