/** Everything test-only lives below this path, on both regional origins. */
export const CONTROL_PREFIX = "/_emulator/";

/** The operation whose body is taken piece by piece, since it may be longer than fits into memory. */
export const STREAMED_OPERATION = { method: "POST", path: "/snapshots/file" } as const;

const STREAMED_PATH = `${CONTROL_PREFIX}v1${STREAMED_OPERATION.path}`;

/** Whether a body must not be collected, in any world; asked before anything of the body is read. */
export function takesStream(method: string, path: string): boolean {
  return method === STREAMED_OPERATION.method && path.endsWith(STREAMED_PATH);
}
