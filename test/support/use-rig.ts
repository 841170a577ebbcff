import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import type { Rig } from "./emulator.ts";

/** A rig for each test or for the whole file, which is started before and closed afterwards. */
export function useRig<R extends Rig>(scope: "test" | "file", start: () => Promise<R>): R {
  let rig: R;
  const [before, after] = scope === "test" ? [beforeEach, afterEach] : [beforeAll, afterAll];
  before(async () => {
    rig = await start();
  });
  after(() => rig.close());
  return new Proxy({} as R, {
    get: (_, name) => Reflect.get(rig, name),
    set: (_, name, value) => Reflect.set(rig, name, value),
  });
}
