/** Words, times and defaults of the emulator that programs beside it read and write as the emulator does. */
export { parseDuration } from "../kernel/duration.ts";
export { parseMicros } from "../kernel/instant.ts";
export { nearest } from "../kernel/nearest.ts";
export { DEFAULT_API_KEY, DEFAULT_TENANT_ID } from "../subjects/auth.ts";
