import type { PostFailure } from "../events.ts";

/** The failure of an attempt before a final reply. */
export class PostFailed extends Error {
  override readonly name = "PostFailed";
  readonly failure: PostFailure;

  constructor(failure: PostFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}
