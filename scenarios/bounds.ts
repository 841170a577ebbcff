/** Limits of scenarios. */
export const MAX_ROUNDS = 10_000;
/** Steps in one list; a repetition counts its steps once. */
export const MAX_STEPS = 1_000;
/** Steps played in one scenario, repetitions included. */
export const MAX_PLAYED_STEPS = 100_000;
/** Nesting depth of included files, counted from the scenario. */
export const MAX_INCLUDE_DEPTH = 8;
/** Files that a scenario includes, each as often as it is included. */
export const MAX_INCLUDED_FILES = 1_000;
export const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** Warnings reported for one scenario. */
export const MAX_WARNINGS = 20;
/** Differences reported for one step. */
export const MAX_DIFFERENCES = 20;
/** Characters of a value shown in a difference. */
export const MAX_SHOWN = 400;
