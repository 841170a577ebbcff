/** Throws when a matcher receives a promise, or another value that is not an emulator. */
export function requireEmulator(matcher: string, value: unknown): void {
  if (value instanceof Promise)
    throw new Error(`${matcher}: expects an emulator, but the value is a promise; use \`await\` first`);
  if (typeof value !== "object" || value === null || !("control" in value))
    throw new Error(`${matcher}: expects an emulator; write \`await expect(emulator).${matcher}(…)\``);
}
