/** Throws where a matcher is given a promise, or something else that is no emulator. */
export function requireEmulator(matcher: string, given: unknown): void {
  if (given instanceof Promise)
    throw new Error(`${matcher}: is asked of an emulator, and this is a promise: \`await\` it first`);
  if (typeof given !== "object" || given === null || !("control" in given))
    throw new Error(`${matcher}: is asked of an emulator: \`await expect(emulator).${matcher}(…)\``);
}
