import type { Steps } from "../../emulator/kernel/steps.ts";

/** Does the work at once, and counts its units. */
export function workOf<T>(steps: Steps<T>): { readonly value: T; readonly units: number } {
  let units = 0;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return { value: step.value, units };
    units += step.value;
  }
}

/** Does the work at once. */
export function resultOf<T>(steps: Steps<T>): T {
  return workOf(steps).value;
}
