/** Constants and functions of the emulator that client programs share. */
export { DURATION_EXAMPLES, parseDuration } from "../kernel/duration.ts";
export { parseInstant, parseMicros, timeProblem } from "../kernel/instant.ts";
export { hintFor, nearest } from "../kernel/nearest.ts";
export { DEFAULT_API_KEY, DEFAULT_TENANT_ID } from "../subjects/auth.ts";
