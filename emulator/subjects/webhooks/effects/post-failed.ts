import type { PostFailure } from "../events.ts";

/** An ending of an attempt before there was a last answer. */
export class PostFailed extends Error {
  override readonly name = "PostFailed";
  readonly failure: PostFailure;

  constructor(failure: PostFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}
