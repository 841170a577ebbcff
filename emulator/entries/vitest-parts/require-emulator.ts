/** Throws when a matcher receives a promise, or another value that is not an emulator. */
export function requireEmulator(matcher: string, given: unknown): void {
  if (given instanceof Promise)
    throw new Error(`${matcher}: expects an emulator, but the value is a promise; use \`await\` first`);
  if (typeof given !== "object" || given === null || !("control" in given))
    throw new Error(`${matcher}: expects an emulator; write \`await expect(emulator).${matcher}(…)\``);
}
