/** Path prefix of all test-only operations, on both regional origins. */
export const CONTROL_PREFIX = "/_emulator/";

/** Header of a refusal of the API: the statement of the specification that asks for it. */
export const REQUIREMENT_HEADER = "x-emulator-requirement";

/** Path of the console, the web page. */
export const CONSOLE_PATH = `${CONTROL_PREFIX}console/`;

/** The operation whose body is streamed, since it may be larger than memory. */
export const STREAMED_OPERATION = { method: "POST", path: "/snapshots/file" } as const;

const STREAMED_PATH = `${CONTROL_PREFIX}v1${STREAMED_OPERATION.path}`;

/** Whether a request's body must be streamed instead of buffered; decided before the body is read. */
export function takesStream(method: string, path: string): boolean {
  return method === STREAMED_OPERATION.method && path.endsWith(STREAMED_PATH);
}
