let next: (() => void) | undefined;

/** Says what is to be done once an emulator of this process has loaded what it works with. */
export function afterStart(work: () => void): void {
  next = work;
}

/** Does it soon, but after all that waits now. */
export function emulatorLoaded(): void {
  if (next) setImmediate(next);
  next = undefined;
}
