import type { Emulator } from "../../runtime/index.ts";

/** Calls of a test that were begun and have not ended. */
export interface Calls {
  /** The same emulator, whose calls are watched; requests aside, which a test may leave open on purpose. */
  readonly emulator: Emulator;
  /** Throws an error that points to the call that nobody waited for. */
  refuseForgotten(): void;
}

const UNWATCHED = new Set<string | symbol>(["request", "close", Symbol.asyncDispose]);
/** Frames of this package's own fixtures. */
const OWN_FRAME = /[\\/]entries[\\/]vitest/;

/** Watches the calls of one test, so that a forgotten `await` is named as such. */
export function watchCalls(emulator: Emulator): Calls {
  const open = new Map<Promise<unknown>, Error>();

  function watched<T extends object>(target: T): T {
    return new Proxy(target, {
      get(from, name) {
        const value: unknown = Reflect.get(from, name);
        if (typeof value === "object" && value !== null) return watched(value);
        if (typeof value !== "function" || UNWATCHED.has(name)) return value;
        const call = (...given: unknown[]) => {
          const result: unknown = value(...given);
          if (result instanceof Promise) follow(result, String(name), call);
          return result;
        };
        return call;
      },
    });
  }

  function follow(result: Promise<unknown>, name: string, call: () => unknown): void {
    const error = new Error(`${name}() was not done when its test ended: is an await missing?`);
    Error.captureStackTrace(error, call);
    open.set(result, error);
    const end = () => open.delete(result);
    result.then(end, end);
  }

  return {
    emulator: watched(emulator),
    refuseForgotten() {
      for (const error of open.values()) {
        const frames = error.stack?.split("\n").filter((line) => !OWN_FRAME.test(line)) ?? [];
        error.stack = frames.join("\n");
        throw error;
      }
    },
  };
}

/** Throws where a matcher is given a promise, or something else that is no emulator. */
export function requireEmulator(matcher: string, given: unknown): void {
  if (given instanceof Promise)
    throw new Error(`${matcher}: is asked of an emulator, and this is a promise: \`await\` it first`);
  if (typeof given !== "object" || given === null || !("control" in given))
    throw new Error(`${matcher}: is asked of an emulator: \`await expect(emulator).${matcher}(…)\``);
}
