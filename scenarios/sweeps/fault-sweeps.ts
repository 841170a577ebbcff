import {
  STORE_ERRORS,
  type StoreErrorClass,
  type StoreErrorCode,
} from "../../contracts/spec/destinations/store-errors.ts";
import { FAULT_POINT_NAMES } from "../../contracts/spec/faults.ts";
import type { FaultOrder } from "../../emulator/client/faults.ts";
import type { Conditions } from "../conditions.ts";
import {
  type Environment,
  EnvironmentError,
  type ScenarioReply,
  type ScenarioRequest,
} from "../environment.ts";
import type { Baseline, Disturbance } from "./disturbance.ts";
import { baselineProblems, settledExports } from "./export-facts.ts";
import { movedTurns } from "./kills.ts";
import { millis } from "./times.ts";

/** A rule with this number counts its occasions and never triggers. */
const NEVER = 1_000_000;

/** One kind of occasion at which a fault can trigger: how the fault is armed for the n-th of them. */
export interface Hook {
  readonly name: string;
  /** With this `match` its occasions are counted. */
  arm(nth: number): FaultOrder;
  readonly means: string;
  readonly section: string;
  /** Whether a reply shows that the fault has hit a request, which a careful client sends once more. */
  readonly isRefusal?: (sentRequest: ScenarioRequest, reply: ScenarioReply) => boolean;
  /** True when the specification lets the export end in another way. */
  readonly mayFail?: true;
  /** How long its exports take to end, if more than an hour. */
  readonly settling?: string;
}

/** Counts the occasions of hooks, and reads the journal and the exports. */
export function sweepBaseline(hooks: readonly Hook[]): Conditions<Baseline> {
  return {
    async begin({ control }) {
      for (const hook of hooks) await control.faults.arm({ ...hook.arm(NEVER), optional: true });
    },
    async end(world) {
      const counters = (await world.control.faults.list()).filter(({ match }) => match.nth === NEVER);
      if (counters.length < hooks.length)
        throw new EnvironmentError(
          "it removes all faults, those that count the points of the sweep as well (DELETE /faults, or a reset)",
        );
      const journal = await world.control.journal();
      const events = journal.filter(({ cause }) => cause.type === "event");
      const exports = await settledExports(world);
      const [problem] = baselineProblems(exports);
      if (problem !== undefined) throw new EnvironmentError(`an export is already wrong: ${problem}`);
      return {
        exports,
        turns: movedTurns(journal),
        due: [...new Set(events.map(({ now }) => millis(now)))],
        occasions: new Map(hooks.map(({ name }, index) => [name, counters[index]?.seen ?? 0])),
      };
    },
  };
}

/** A fault at each occasion of each hook. `isStrict`: errors without a retry must be survived too. */
export function faultsOf(
  hooks: readonly Hook[],
  { occasions }: Baseline,
  isStrict = false,
): readonly Disturbance[] {
  return hooks.flatMap((hook) =>
    [...Array(occasions.get(hook.name) ?? 0).keys()].map((at) => faultAt(hook, at + 1, isStrict)),
  );
}

function faultAt(hook: Hook, nth: number, isStrict: boolean): Disturbance {
  const { isRefusal, name, section, means, settling } = hook;
  return {
    name: `${name} #${nth}`,
    section,
    // Hooks with a few long trials: the first occasion of each is always tried.
    rank: hook.settling !== undefined && nth === 1 ? 0 : 1,
    tolerance: hook.mayFail === true && !isStrict ? "end" : "none",
    differs: `the ${ordinal(nth)} time: ${name}`,
    means,
    ...(settling !== undefined && { settling }),
    conditions: {
      begin: async ({ control }) => void (await control.faults.arm({ ...hook.arm(nth), optional: true })),
      ...(isRefusal && { wrap: (environment) => patient(environment, isRefusal) }),
    },
  };
}

/** A client that sends a refused request once more. */
function patient(environment: Environment, isRefusal: NonNullable<Hook["isRefusal"]>): Environment {
  let isSentAgain = false;
  return {
    ...environment,
    async request(sentRequest) {
      const reply = await environment.request(sentRequest);
      if (isSentAgain || !isRefusal(sentRequest, reply)) return reply;
      isSentAgain = true;
      return environment.request(sentRequest);
    },
  };
}

/** The export worker crashes at each point of each run once; at the point before a file, also for good, or it hangs. */
export const CRASH_HOOKS: readonly Hook[] = [
  ...FAULT_POINT_NAMES.map(
    (at): Hook => ({
      name: `crash at ${at}`,
      arm: (nth) => ({ target: "worker", match: { at, nth }, then: { crash: true } }),
      section: "7.3",
      means: "an interrupted run has to resume from its checkpoint (§7.3, §8.3)",
    }),
  ),
  {
    name: "each attempt crashes from rows.read",
    arm: (nth) => ({
      target: "worker",
      match: { at: "rows.read", nth },
      times: 1_000,
      then: { crash: true },
    }),
    section: "8.3",
    means: "a run has 20 retries, 30 seconds apart, and then the export is FAILED (§8.3, §3.1)",
    mayFail: true,
    settling: "PT9H",
  },
  {
    name: "two attempts hang at rows.read",
    arm: (nth) => ({ target: "worker", match: { at: "rows.read", nth }, times: 2, then: { stall: "PT5H" } }),
    section: "8.2",
    means: "each attempt ends after four hours, and the run is retried (§8.2, §7.3)",
    mayFail: true,
    settling: "PT9H",
  },
];

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
export const STORE_HOOKS: readonly Hook[] = STORE_CALLS.flatMap((op) => [
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
export const LIMIT_HOOKS: readonly Hook[] = [
  {
    name: "429",
    arm: (nth) => ({ target: "http", match: { nth }, then: LIMITED }),
    section: "8.5",
    isRefusal: (_, { status, text }) => status === LIMITED.status && text === JSON.stringify(LIMITED.body),
    means: "it relies on no request being limited (§8.5: the hosted service limits all of them)",
  },
];

function ordinal(nth: number): string {
  const ending = nth % 100 >= 11 && nth % 100 <= 13 ? "th" : (["th", "st", "nd", "rd"][nth % 10] ?? "th");
  return `${nth}${ending}`;
}
