import { fileURLToPath } from "node:url";
import { printable } from "../../../contracts/report/printable.ts";
import type { FaultView } from "../../client/faults.ts";
import { faultView, untriggeredFaults } from "../../subjects/faults/rules.ts";
import type { NamedWorld } from "../worlds/open-worlds.ts";
import type { CloseOptions, Emulator } from "./emulator.ts";

/** The calls on one world of an emulator, and their places in the program. */
export interface Calls {
  /** The same object with its calls watched, except requests, which a program may leave open on purpose. */
  watch<T extends object>(target: T): T;
  /** An error that points to a call that has not ended; undefined when all of them have. */
  unawaitedCall(when: string): Error | undefined;
  /** Whether a fault was armed by one of the calls. */
  hasArmed(fault: Pick<FaultView, "id">): boolean;
  /** An error for a fault that was never triggered, which points to the call that armed it. */
  unusedFault(fault: FaultView): Error;
}

/** Errors that reach the caller unchanged except for their stack, which points to the call. */
const EXPLAINED = new Set(["ErrorReply", "AdvanceUnfinished", "ArchiveFileError", "EmulatorClosed"]);
const UNWATCHED = new Set<string | symbol>(["request", "close", Symbol.asyncDispose]);
/** The folder of this package's code in stack frames, built or not. */
const OWN_URL =
  /^.*\/dist\/(?=(?:chunks|emulator)\/)|^.*\/(?=runtime\/)/.exec(import.meta.url)?.[0] ?? import.meta.url;
const OWN_FOLDERS = [OWN_URL, fileURLToPath(OWN_URL)];

/** A call on an emulator or a world that was closed. */
export class EmulatorClosed extends Error {
  override readonly name = "EmulatorClosed";
}

const CALLS = new WeakMap<object, Calls>();

/** The calls of an emulator of the library. */
export function callsOf(emulator: Emulator): Calls {
  return CALLS.get(emulator) ?? createCalls(() => false);
}

/** Watches calls. A call that fails after `isClosed` began earlier, and the program did not wait for it. */
export function createCalls(isClosed: () => boolean): Calls {
  const open = new Map<Promise<unknown>, CallSite>();
  const armed = new Map<string, CallSite>();

  function begin(result: Promise<unknown>, at: CallSite, armsFault: boolean): Promise<unknown> {
    const wasOpen = !isClosed();
    const value = armsFault ? result.then((fault) => noteArmedFault(fault as FaultView, at)) : result;
    const followed = value
      .catch((error: unknown) => {
        if (!wasOpen || !isClosed()) throw withCallerFrames(at, error);
        throw unawaitedError(at, "the emulator was closed", { cause: error });
      })
      .finally(() => open.delete(followed));
    open.set(followed, at);
    return followed;
  }

  function noteArmedFault(fault: FaultView, at: CallSite): FaultView {
    armed.set(fault.id, at);
    return fault;
  }

  const calls: Calls = {
    watch: (target) => watch(target, calls, begin),
    unawaitedCall(when) {
      // Their own errors are reported by this one.
      for (const call of open.keys()) call.catch(() => undefined);
      const [call] = open.values();
      return call && unawaitedError(call, when);
    },
    hasArmed: ({ id }) => armed.has(id),
    unusedFault({ id, preset, target, match, then }) {
      const text = JSON.stringify({ ...(preset === null ? { target, then } : { preset }), match });
      const error = new Error(
        `The fault ${text} was never triggered. If that is intended, arm it with optional: true.`,
      );
      return pointingTo(armed.get(id), error);
    },
  };
  return calls;
}

type BeginCall = (result: Promise<unknown>, at: CallSite, armsFault: boolean) => Promise<unknown>;

/** A proxy whose calls, and those of its members, are passed to `begin`. */
function watch<T extends object>(target: T, calls: Calls, begin: BeginCall): T {
  const watched = new Proxy(target, {
    get(from, name) {
      const value: unknown = Reflect.get(from, name);
      if (typeof value === "object" && value !== null) return watch(value, calls, begin);
      if (typeof value !== "function" || UNWATCHED.has(name)) return value;
      const call = (...parameters: unknown[]) => {
        const at: CallSite = { name: String(name), stack: "" };
        Error.captureStackTrace(at, call);
        try {
          const result: unknown = value(...parameters);
          return result instanceof Promise ? begin(result, at, isArming(at, parameters)) : result;
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

/** The first frame of an error that points to a call; undefined where none is known. */
export function placeOf({ stack = "" }: Error): string | undefined {
  return /^\s+at (.*)$/m.exec(stack)?.[1];
}

/** A call, and its place in the program. */
interface CallSite {
  readonly name: string;
  stack: string;
}

function isArming({ name }: CallSite, [method, path]: readonly unknown[]): boolean {
  return name === "arm" || (name === "control" && method === "POST" && path === "/faults");
}

function unawaitedError(at: CallSite, when: string, options?: ErrorOptions): Error {
  return pointingTo(
    at,
    new Error(`${at.name}() had not finished when ${when}. Is an await missing?`, options),
  );
}

function withCallerFrames(at: CallSite, error: unknown): unknown {
  return error instanceof Error && EXPLAINED.has(error.name) ? pointingTo(at, error) : error;
}

/** Replaces the stack of an error with the frames of the caller. */
function pointingTo(at: CallSite | undefined, error: Error): Error {
  const frames = at?.stack.split("\n").slice(1) ?? [];
  const isOwn = (frame: string) => OWN_FOLDERS.some((folder) => frame.includes(folder));
  error.stack = [`${error.name}: ${error.message}`, ...frames.filter((frame) => !isOwn(frame))].join("\n");
  return error;
}

/** An error for each fault that these calls armed in a world and that was never triggered. */
export function unusedFaultsIn(openWorld: NamedWorld | undefined, calls: Calls): readonly Error[] {
  if (!openWorld) return [];
  const { reader, now } = openWorld.runtime.world;
  return untriggeredFaults(reader)
    .filter(calls.hasArmed)
    .map((rule) => calls.unusedFault(faultView(rule, now)));
}

/** Reports unused faults as warnings of the process, or throws them as errors. */
export function reportUnused(errors: readonly Error[], as: NonNullable<CloseOptions["unusedFaults"]>): void {
  if (as === "ignore" || errors.length === 0) return;
  if (as === "warn") {
    for (const error of errors) {
      const callPlace = placeOf(error);
      const where = callPlace === undefined ? "" : ` It was armed at ${callPlace}.`;
      process.emitWarning(printable(`${error.message}${where}`), {
        type: "EmulatorWarning",
        code: "UNUSED_FAULT",
      });
    }
    return;
  }
  const [first] = errors;
  throw errors.length === 1
    ? first
    : new AggregateError(errors, errors.map(({ message }) => message).join("\n"));
}
