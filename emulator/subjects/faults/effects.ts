import type { Runners } from "../turn.ts";

/**
 * A request that was held goes on in the microtasks that follow its event. Time waits for them, so that
 * the request is carried out at its own instant and not where an advance ends.
 */
export const REQUEST_EFFECTS: Runners<"http.resume"> = {
  "http.resume": () => new Promise((resolve) => setImmediate(() => resolve({}))),
};
