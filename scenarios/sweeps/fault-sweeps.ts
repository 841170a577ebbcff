import {
  STORE_ERRORS,
  type StoreErrorClass,
  type StoreErrorCode,
} from "../../contracts/spec/destinations/store-errors.ts";
import { FAULT_POINT_NAMES } from "../../contracts/spec/faults.ts";
import type { FaultOrder } from "../../emulator/client/faults.ts";
import {
  type Environment,
  EnvironmentError,
  type ScenarioReply,
  type ScenarioRequest,
} from "../environment.ts";
import type { Exploration, Trial } from "../trials.ts";
import { type ExportFacts, exportDifferences, settledExports } from "./export-facts.ts";
import { killTrial, movedTurns } from "./kills.ts";

/** A rule with this number counts its occasions and never triggers. */
const NEVER = 1_000_000;

/** One kind of occasion at which a fault can trigger: how the fault is armed for the n-th of them. */
interface Hook {
  readonly name: string;
  /** With this `match` its occasions are counted. */
  arm(nth: number): FaultOrder;
  readonly means: string;
  readonly section: string;
  /** Whether a reply shows that the fault has hit a request, which a careful client sends once more. */
  readonly isRefusal?: (asked: ScenarioRequest, reply: ScenarioReply) => boolean;
  /** True when the specification lets the export end in another way. */
  readonly mayFail?: true;
}

/** Findings of the baseline of a sweep: its exports, and the occasions of each hook. */
interface Baseline {
  readonly exports: readonly ExportFacts[];
  readonly occasions: readonly number[];
  /** Turns after which the process can be killed. */
  readonly turns: readonly number[];
}

/** A sweep that triggers a fault at each occasion of each hook once. `isStrict`: errors without a retry must be survived too. */
function faultSweep(name: string, hooks: readonly Hook[], isStrict = false): Exploration<Baseline> {
  function trialOf(hook: Hook, nth: number, exports: readonly ExportFacts[]): Trial {
    const { isRefusal } = hook;
    const mayFail = hook.mayFail === true && !isStrict;
    return {
      name: `${hook.name} #${nth}`,
      section: hook.section,
      differs: `the ${ordinal(nth)} time: ${hook.name}`,
      means: hook.means,
      ...(mayFail && { worldAlone: true }),
      conditions: {
        begin: async ({ control }) => void (await control.faults.arm({ ...hook.arm(nth), optional: true })),
        ...(isRefusal && { wrap: (environment) => patient(environment, isRefusal) }),
        end: async (world) => exportDifferences(exports, await settledExports(world), mayFail),
      },
    };
  }
  return {
    name,
    baseline: {
      async begin({ control }) {
        for (const hook of hooks) await control.faults.arm({ ...hook.arm(NEVER), optional: true });
      },
      async end(world) {
        const counters = (await world.control.faults.list()).filter(({ match }) => match.nth === NEVER);
        if (counters.length < hooks.length)
          throw new EnvironmentError(
            "it removes all faults, those that count the points of the sweep as well (DELETE /faults, or a reset)",
          );
        const turns = movedTurns(await world.control.journal());
        return { turns, occasions: counters.map(({ seen }) => seen), exports: await settledExports(world) };
      },
    },
    trialsOf: ({ occasions, exports }) =>
      hooks.flatMap((hook, index) =>
        Array.from({ length: occasions[index] ?? 0 }, (_, at) => trialOf(hook, at + 1, exports)),
      ),
  };
}

/** A client that sends a refused request once more. */
function patient(environment: Environment, isRefusal: NonNullable<Hook["isRefusal"]>): Environment {
  let isSentAgain = false;
  return {
    ...environment,
    async request(asked) {
      const reply = await environment.request(asked);
      if (isSentAgain || !isRefusal(asked, reply)) return reply;
      isSentAgain = true;
      return environment.request(asked);
    },
  };
}

/** The export worker dies at each point of each run; the process of a scenario, after each turn of a moving clock. */
export function crashSweep(isCommand: boolean): Exploration<Baseline> {
  const workers = faultSweep(
    "--sweep crash",
    FAULT_POINT_NAMES.map((at) => ({
      name: `crash at ${at}`,
      arm: (nth) => ({ target: "worker", match: { at, nth }, then: { crash: true } }),
      section: "7.3",
      means: "an interrupted run has to resume from its checkpoint (§7.3, §8.3)",
    })),
  );
  if (isCommand) return workers;
  return {
    ...workers,
    trialsOf: (found) => [
      ...workers.trialsOf(found),
      ...found.turns.map((turn) => killTrial(turn, found.exports)),
    ],
  };
}

/** Calls with which exports and destinations use a store. */
const STORE_CALLS = [
  "PutObject",
  "HeadObject",
  "DeleteObject",
  "CreateMultipartUpload",
  "UploadPart",
  "CompleteMultipartUpload",
  "AbortMultipartUpload",
] as const;

/** One error for each way in which §7.2 and §7.3 tell them apart. */
const STORE_KINDS = [
  "AccessDenied",
  "InvalidAccessKeyId",
  "NoSuchBucket",
  "EntityTooLarge",
  "SlowDown",
  "InternalError",
  "RequestTimeout",
] as const satisfies readonly StoreErrorCode[];

const MEANT: Readonly<Record<StoreErrorClass, string>> = {
  "ends the run":
    "§7.3: such an error is not retried; the export has to end as FAILED, and no export as half",
  interruption: "§7.3: such an error passes; the run has to resume from its checkpoint",
};

/** Each call to an object store meets each kind of error; a destination that fails its test is ordered once more. */
export function storeSweep(isStrict: boolean): Exploration<Baseline> {
  const hooks = STORE_CALLS.flatMap((op) => [
    ...STORE_KINDS.map((error): Hook => {
      const { class: kind } = STORE_ERRORS[error];
      return {
        name: `${op} ${error}`,
        arm: (nth) => ({ target: "s3", match: { op, nth }, then: { s3_error: error } }),
        section: "7.3",
        isRefusal: refusedDestination(error),
        means: MEANT[kind],
        ...(kind === "ends the run" && { mayFail: true }),
      };
    }),
    {
      name: `${op} reset`,
      isRefusal: refusedDestination("ConnectionFailed"),
      arm: (nth) => ({ target: "s3", match: { op, nth }, then: { reset: true } }),
      section: "7.3",
      means: MEANT.interruption,
    } satisfies Hook,
  ]);
  return faultSweep("--sweep store", hooks, isStrict);
}

/** A destination whose test has met this error (§7.2). */
function refusedDestination(error: string): NonNullable<Hook["isRefusal"]> {
  return ({ path }, { status, text }) =>
    status === 400 && path.endsWith("/destinations") && text.includes(error);
}

const LIMITED = {
  status: 429,
  headers: { "retry-after": "1" },
  body: { detail: "Rate limit exceeded." },
} as const;

/** Each request in turn is answered with 429; a scenario sends it once more. */
export function limitsSweep(): Exploration<Baseline> {
  const hook: Hook = {
    name: "429",
    arm: (nth) => ({ target: "http", match: { nth }, then: LIMITED }),
    section: "8.5",
    isRefusal: (_, { status, text }) => status === LIMITED.status && text === JSON.stringify(LIMITED.body),
    means: "it relies on no request being limited (§8.5: the hosted service limits all of them)",
  };
  return faultSweep("--sweep limits", [hook]);
}

function ordinal(nth: number): string {
  const ending = nth % 100 >= 11 && nth % 100 <= 13 ? "th" : (["th", "st", "nd", "rd"][nth % 10] ?? "th");
  return `${nth}${ending}`;
}
