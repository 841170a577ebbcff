/** Everything test-only lives below this path, on both regional origins. */
export const CONTROL_PREFIX = "/_emulator/";

/** What is sent to these paths is taken piece by piece, since it may be longer than fits into memory. */
export function takesStream(method: string, path: string): boolean {
  return method === "POST" && path.endsWith(`${CONTROL_PREFIX}v1/snapshots/file`);
}
