let next: (() => void) | undefined;

/** Says what is to be done once an emulator of this process serves. */
export function afterStart(work: () => void): void {
  next = work;
}

/** Does it soon, but after all that waits for the start. */
export function emulatorStarted(): void {
  if (next) setImmediate(next);
  next = undefined;
}
