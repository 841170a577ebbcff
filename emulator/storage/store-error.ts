/** A data folder that cannot be read; the message says what to do with it. */
export class StoreError extends Error {
  override readonly name = "StoreError";
}
