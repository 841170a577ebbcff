import { INPUT_ERRORS } from "./errors/input.ts";
import { STATE_ERRORS } from "./errors/state.ts";

/** What an error code means, and what to do next; `emulator help <code>` and a page of the documentation print it. */
export const ERROR_CODES = { ...STATE_ERRORS, ...INPUT_ERRORS };
