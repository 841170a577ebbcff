/** Lets the emulator answer requests between two batches of rows. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
