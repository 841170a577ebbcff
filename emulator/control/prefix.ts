/** Everything test-only lives below this path, on both regional origins. */
export const CONTROL_PREFIX = "/_emulator/";
