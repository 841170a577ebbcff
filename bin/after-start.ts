let next: (() => void) | undefined;

/** Registers work for the time after an emulator of this process has loaded its modules. */
export function afterStart(work: () => void): void {
  next = work;
}

/** Does it soon, but after all that waits now. */
export function emulatorLoaded(): void {
  if (next) setImmediate(next);
  next = undefined;
}
