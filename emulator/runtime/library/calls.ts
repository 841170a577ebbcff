import { fileURLToPath } from "node:url";
import type { FaultView } from "../../client/faults.ts";
import type { Emulator } from "./emulator.ts";

/** The calls on one world of an emulator, and where in the program they were made. */
export interface Calls {
  /** The same object, whose calls are watched; requests aside, which a program may leave open on purpose. */
  watch<T extends object>(target: T): T;
  /** An error that points to a call that has not ended; undefined when all have. */
  unawaitedCall(when: string): Error | undefined;
  /** Whether a fault was armed by one of the calls. */
  hasArmed(fault: Pick<FaultView, "id">): boolean;
  /** An error for a fault that was never hit, which points to the call that armed it. */
  unusedFault(fault: FaultView): Error;
}

/** Errors that the caller is told of as they are, with the place of the call. */
const EXPLAINED = new Set(["ErrorReply", "AdvanceUnfinished", "ArchiveFileError", "EmulatorClosed"]);
const UNWATCHED = new Set<string | symbol>(["request", "close", Symbol.asyncDispose]);
/** The folder of this package's code as frames name it, built or not. */
const OWN_URL =
  /^.*\/dist\/(?=(?:chunks|emulator)\/)|^.*\/(?=runtime\/)/.exec(import.meta.url)?.[0] ?? import.meta.url;
const OWN_FOLDERS = [OWN_URL, fileURLToPath(OWN_URL)];

/** What was closed answers nothing any more. */
export class EmulatorClosed extends Error {
  override readonly name = "EmulatorClosed";
}

const CALLS = new WeakMap<object, Calls>();

/** The calls of an emulator of the library. */
export function callsOf(emulator: Emulator): Calls {
  return CALLS.get(emulator) ?? createCalls(() => false);
}

/** Watches calls: what fails once `isClosed` is true was begun before, and was not waited for. */
export function createCalls(isClosed: () => boolean): Calls {
  const open = new Map<Promise<unknown>, Place>();
  const armed = new Map<string, Place>();

  function watch<T extends object>(target: T): T {
    const watched = new Proxy(target, {
      get(from, name) {
        const value: unknown = Reflect.get(from, name);
        if (typeof value === "object" && value !== null) return watch(value);
        if (typeof value !== "function" || UNWATCHED.has(name)) return value;
        const call = (...given: unknown[]) => {
          const at: Place = { name: String(name), stack: "" };
          Error.captureStackTrace(at, call);
          try {
            const result: unknown = value(...given);
            return result instanceof Promise ? begin(result, at, isArming(at, given)) : result;
          } catch (error) {
            throw withCallerFrames(at, error);
          }
        };
        return call;
      },
    });
    CALLS.set(watched, calls);
    return watched;
  }

  function begin(result: Promise<unknown>, at: Place, arms: boolean): Promise<unknown> {
    const wasOpen = !isClosed();
    const value = arms ? result.then((fault) => noteArmedFault(fault as FaultView, at)) : result;
    const followed = value
      .catch((error: unknown) => {
        if (!wasOpen || !isClosed()) throw withCallerFrames(at, error);
        throw unawaitedError(at, "the emulator was closed", { cause: error });
      })
      .finally(() => open.delete(followed));
    open.set(followed, at);
    return followed;
  }

  function noteArmedFault(fault: FaultView, at: Place): FaultView {
    armed.set(fault.id, at);
    return fault;
  }

  const calls: Calls = {
    watch,
    unawaitedCall(when) {
      // What becomes of them has its error with this one.
      for (const call of open.keys()) call.catch(() => undefined);
      const [call] = open.values();
      return call && unawaitedError(call, when);
    },
    hasArmed: ({ id }) => armed.has(id),
    unusedFault({ id, preset, target, match, then }) {
      const shown = JSON.stringify({ ...(preset === null ? { target, then } : { preset }), match });
      const error = new Error(`the fault ${shown} was never hit; if it may be, arm it with optional: true`);
      return pointingTo(armed.get(id), error);
    },
  };
  return calls;
}

/** The first frame of an error that points to a call; undefined where none is known. */
export function placeOf({ stack = "" }: Error): string | undefined {
  return /^\s+at (.*)$/m.exec(stack)?.[1];
}

/** A call, and where it was made. */
interface Place {
  readonly name: string;
  stack: string;
}

function isArming({ name }: Place, [method, path]: readonly unknown[]): boolean {
  return name === "arm" || (name === "control" && method === "POST" && path === "/faults");
}

function unawaitedError(at: Place, when: string, options?: ErrorOptions): Error {
  return pointingTo(at, new Error(`${at.name}() was not done when ${when}: is an await missing?`, options));
}

function withCallerFrames(at: Place, error: unknown): unknown {
  return error instanceof Error && EXPLAINED.has(error.name) ? pointingTo(at, error) : error;
}

/** The error with the frames of the caller, which wants to know which call of its own it was. */
function pointingTo(at: Place | undefined, error: Error): Error {
  const frames = at?.stack.split("\n").slice(1) ?? [];
  const isOwn = (frame: string) => OWN_FOLDERS.some((folder) => frame.includes(folder));
  error.stack = [`${error.name}: ${error.message}`, ...frames.filter((frame) => !isOwn(frame))].join("\n");
  return error;
}
