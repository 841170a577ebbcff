import { type AsyncCommand, asyncModelRun, asyncProperty, check } from "fast-check";
import { BudgetSpent, CaseEnded, type Contract } from "../engine/contract.ts";
import type { Exchange } from "../engine/exchange.ts";
import { type OpenContract, openContract } from "../engine/open-contract.ts";
import type { Profile } from "../engine/profile.ts";
import { createRandom } from "../engine/random.ts";
import type { Target } from "../engine/target.ts";
import { Difference, expectThat } from "./difference.ts";
import { type Model, newModel, type Server, sequences } from "./sequences.ts";

/** Requests for shrinking, as a multiple of those for the search. */
const SHRINK_FACTOR = 10;
/** Default quota of a key in the shortest interval (§8.5). */
const QUOTA = 1000;
const TOO_MANY = 429;
const WAIT_MS = 10_000;

export interface PlayOptions {
  readonly seed: number;
  /** Requests until the search ends. */
  readonly requests: number;
  readonly profile?: Profile;
  readonly signal?: AbortSignal;
}

/** A reply that differs from the model. */
export interface PlayedDifference extends Pick<Difference, "requirement" | "expected" | "actual"> {
  readonly text: string;
  /** Requests of the search up to the first such reply. */
  readonly foundAfter: number;
  /** The shortest sequence of requests with such a reply. */
  readonly exchanges: readonly Exchange[];
}

/** What random sequences of requests have found. */
export interface Play {
  readonly target: string;
  readonly seed: number;
  readonly requests: number;
  readonly sequences: number;
  /** What the server does not have, by step of the model. */
  readonly lacking: Readonly<Record<string, string>>;
  readonly difference?: PlayedDifference;
}

/** Sends random sequences of requests and compares the replies with the model. */
export async function play(target: Target, options: PlayOptions): Promise<Play> {
  const { seed, requests: budget } = options;
  const lacking: Server["lacking"] = new Map();
  let requests = 0;
  let playedCount = 0;
  let shortest: PlayedDifference | undefined;
  let failure: unknown;

  const isOver = () =>
    failure !== undefined ||
    options.signal?.aborted === true ||
    requests >= (shortest ? shortest.foundAfter + budget * SHRINK_FACTOR : budget);
  const spend = async () => {
    if (isOver()) return false;
    requests += 1;
    return true;
  };

  async function playOnce(steps: Iterable<AsyncCommand<Model, Server>>): Promise<void> {
    if (isOver()) return;
    playedCount += 1;
    const open = await openSequence(target, { ...options, spend, name: String(playedCount) });
    const exchanges: Exchange[] = [];
    try {
      const server = { t: recorded(open, exchanges), lacking };
      await asyncModelRun(() => ({ model: newModel(), real: server }), steps);
    } catch (error) {
      const difference = differenceOf(error, open);
      // Shrinking keeps to the difference that the search has found.
      if (!difference || (shortest && shortest.requirement !== difference.requirement)) return;
      const { requirement, message: text, expected, actual } = difference;
      const foundAfter = shortest?.foundAfter ?? requests;
      shortest = { requirement, text, ...open.redact({ expected, actual }), foundAfter, exchanges };
      throw difference;
    } finally {
      await open.close();
    }
  }

  const property = asyncProperty(sequences(), (steps) =>
    playOnce(steps).catch((error: unknown) => {
      // Any other error, such as that of a server that no longer responds, is not a result.
      if (!(error instanceof Difference)) failure = error;
      throw error;
    }),
  );
  await check(property, { seed, numRuns: budget });
  if (failure !== undefined && !shortest) throw failure;
  return {
    target: target.name,
    seed,
    requests,
    sequences: playedCount,
    lacking: Object.fromEntries(lacking),
    ...(shortest && { difference: shortest }),
  };
}

interface SequenceParts extends PlayOptions {
  readonly spend: () => Promise<boolean>;
  readonly name: string;
}

async function openSequence(target: Target, { seed, profile = "spec", spend, name }: SequenceParts) {
  return openContract({
    session: await target.open(),
    offers: target.offers,
    keepHeld: false,
    open: (settings) => target.open(settings),
    draw: createRandom(seed, name, target.nonce ?? ""),
    oracle: undefined,
    profile,
    isPrepared: false,
    spend,
  });
}

/** Records the exchanges of a sequence, and waits when the server limits the rate. */
function recorded(open: OpenContract, exchanges: Exchange[]): Contract {
  const t = open.contract;
  const record = () => {
    if (open.last) exchanges.push(open.last);
  };
  const call: Contract["call"] = async (...words) => {
    const reply = await t.call<never>(...words);
    record();
    if (reply.status !== TOO_MANY) return reply;
    // No other caller has used up the quota of a key that was made up for the sequence.
    const isTooEarly = t.identity.isKeyPublic === true && exchanges.length < QUOTA;
    expectThat("8.5-1", !isTooEarly, "requests before a 429", `at least ${QUOTA}`, exchanges.length);
    await t.reach.wait(WAIT_MS);
    return call(...words);
  };
  const advance: Contract["advance"] = (by) => t.advance(by).finally(record);
  return Object.create(t, { call: { value: call }, advance: { value: advance } });
}

/** Undefined where the budget is spent; throws what is not about a reply. */
function differenceOf(error: unknown, { findings }: OpenContract): Difference | undefined {
  if (error instanceof Difference) return error;
  if (error instanceof BudgetSpent) return undefined;
  const finding = findings.findLast(({ verdict }) => verdict === "FAIL");
  if (!(error instanceof CaseEnded) || !finding) throw error;
  const { requirement, text, expected, actual } = finding;
  if (requirement === null) throw error;
  return new Difference(requirement, text, expected, actual);
}
