/** Everything about a scenario is bounded; these are the bounds. */
export const MAX_ROUNDS = 10_000;
/** In one list; a repetition counts its steps once. */
export const MAX_STEPS = 1_000;
/** Played, repetitions included. */
export const MAX_PLAYED_STEPS = 100_000;
/** Files that include one another, counted from the scenario on. */
export const MAX_INCLUDE_DEPTH = 8;
export const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** How many differences of a step are told. */
export const MAX_DIFFERENCES = 20;
/** How much of a value is told in a difference. */
export const MAX_SHOWN = 400;
