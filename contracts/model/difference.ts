import type { RequirementId } from "../spec/requirements.ts";

/** A reply that the model does not expect. */
export class Difference extends Error {
  override readonly name = "Difference";
  readonly requirement: RequirementId;
  readonly expected: unknown;
  readonly actual: unknown;

  constructor(requirement: RequirementId, text: string, expected: unknown, actual: unknown) {
    super(text);
    this.requirement = requirement;
    this.expected = expected;
    this.actual = actual;
  }
}

/** Throws a `Difference` unless it holds. */
export function expectThat(
  requirement: RequirementId,
  holds: boolean,
  text: string,
  expected: unknown,
  actual: unknown,
): void {
  if (!holds) throw new Difference(requirement, text, expected, actual);
}

/** Throws a `Difference` unless both are the same text or number. */
export function expectSame(
  requirement: RequirementId,
  text: string,
  actual: unknown,
  expected: unknown,
): void {
  expectThat(requirement, actual === expected, text, expected, actual);
}
