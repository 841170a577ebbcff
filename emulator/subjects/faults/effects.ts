import type { Runners } from "../turn.ts";

/**
 * A delayed request continues in the microtasks that follow its event. The clock waits for them, so that
 * the request is carried out at its own instant and not at the end of an advance.
 */
export const REQUEST_EFFECTS: Runners<"http.resume"> = {
  "http.resume": () => new Promise((resolve) => setImmediate(() => resolve({}))),
};
