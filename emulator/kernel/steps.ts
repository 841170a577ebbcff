/** Work that can be paused. Before each step it yields what the step takes: about the number of characters that it reads. */
export type Steps<T> = Generator<number, T, void>;

/** These take about 10 ms, and 50 ms if the texts are as bad as can be. One step may take more. */
const UNITS_PER_SLICE = 2_000_000;
/** A request takes several turns of the event loop. */
const TURNS_PER_PAUSE = 4;

/** Does the work at once; undefined when it takes more than `most`. */
export function runSteps<T>(steps: Steps<T>, most: number): { readonly value: T } | undefined {
  for (let units = 0; units <= most; ) {
    const step = steps.next();
    if (step.done) return step;
    units += step.value;
  }
  return undefined;
}

/** Does the work in slices, with a pause between any two, in which the event loop takes some turns. */
export async function runInSlices<T>(steps: Steps<T>, yieldToEventLoop: () => Promise<void>): Promise<T> {
  let units = 0;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    units += step.value;
    if (units < UNITS_PER_SLICE) continue;
    for (let turns = 0; turns < TURNS_PER_PAUSE; turns++) await yieldToEventLoop();
    units = 0;
  }
}
