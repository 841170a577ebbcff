/** Lets requests be answered between two batches of rows. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
