export type AssumptionValue = string | number | boolean;

/** A choice of the emulator where the specification is silent or contradicts itself. */
export interface Assumption {
  readonly section: string;
  readonly requirement: string;
  readonly choice: AssumptionValue;
  /** The other values that it supports, if any. */
  readonly alternatives?: readonly AssumptionValue[];
  /** Alternatives that a statement of the specification excludes. A server with one does not conform. */
  readonly ruledOut?: readonly AssumptionValue[];
  readonly reason: string;
  /** Its value in the profile `observed`. */
  readonly observed?: AssumptionValue;
  /** The setting that changes it. */
  readonly setting?: string;
  /** It changes under `assumptions.<id>` of the configuration. */
  readonly switchable?: true;
}
