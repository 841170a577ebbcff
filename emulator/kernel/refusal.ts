/**
 * A refused request: an answer, not an accident. Thrown inside a turn before anything is written
 * (a refusal after a write is a defect), and carried to the caller unchanged.
 */
export class Refusal extends Error {
  readonly status: number;
  /** What a program can tell the refusal by; wire bodies are made of it by the gateway. */
  readonly code: string;
  readonly hint: string | undefined;

  constructor(status: number, code: string, message: string, hint?: string) {
    super(message);
    this.name = "Refusal";
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}
