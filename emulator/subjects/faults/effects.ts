import type { EffectRunner } from "../../kernel/world.ts";
import { RESUME } from "./http.ts";

/**
 * A request that was held goes on in the microtasks that follow its event. Time waits for them, so that
 * the request is carried out at its own instant and not where an advance ends.
 */
export const REQUEST_EFFECTS: Readonly<Record<string, EffectRunner>> = {
  [RESUME]: () => new Promise((resolve) => setImmediate(() => resolve({}))),
};
