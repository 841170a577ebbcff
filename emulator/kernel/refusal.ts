import type { RequirementId } from "../../contracts/spec/requirements.ts";

/** The code of the refusal when a stored file is damaged: it may follow writes of the turn, which are reverted. */
export const DATA_DAMAGED = "data_damaged";

/**
 * A refused request: an expected reply, not a defect. Thrown inside a turn before anything is written
 * (a refusal after a write is a defect), and carried to the caller unchanged.
 */
export class Refusal extends Error {
  readonly status: number;
  /** Machine-readable code of the refusal; the gateway derives error bodies from it. */
  readonly code: string;
  readonly hint: string | undefined;
  /** The statement of the specification that requires it; undefined for rules of the emulator. */
  readonly requirement: RequirementId | undefined;

  constructor(status: number, code: string, message: string, hint?: string, requirement?: RequirementId) {
    super(message);
    this.name = "Refusal";
    this.status = status;
    this.code = code;
    this.hint = hint;
    this.requirement = requirement;
  }
}

/** A refusal (422) of a request whose body or parameters are invalid. */
export function invalidRequest(message: string, hint?: string, requirement?: RequirementId): Refusal {
  return new Refusal(422, "invalid_request", message, hint, requirement);
}
