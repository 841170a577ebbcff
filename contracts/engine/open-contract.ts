import { ASSUMPTIONS, type AssumptionId } from "../spec/assumptions.ts";
import { BOUNDS } from "../spec/bounds.ts";
import { printExact } from "../spec/exact-json.ts";
import { REQUIREMENTS, type RequirementId, sectionOf } from "../spec/requirements.ts";
import type { Check } from "./check.ts";
import { checkReply } from "./checked-reply.ts";
import {
  BudgetSpent,
  type CallOptions,
  CaseEnded,
  type Contract,
  type Difference,
  Lacking,
  type Reply,
} from "./contract.ts";
import { controlCalls } from "./control-calls.ts";
import { type Exchange, withoutSecretsIn } from "./exchange.ts";
import type { WireRequest } from "./http-message.ts";
import { isDeeperThan } from "./json.ts";
import type { CaseSettings, Need } from "./needs.ts";
import type { Oracle } from "./oracle/oracle.ts";
import { chosenBy, type Profile } from "./profile.ts";
import type { RandomSource } from "./random.ts";
import { describeActual } from "./shown.ts";
import type { Identity, Receiver, Session } from "./target.ts";
import type { Blame, Finding, MetExpectation } from "./verdict.ts";
import { openWire, type Wire } from "./wire.ts";

/** A running case, as the runner sees it. */
interface OpenContract {
  readonly contract: Contract;
  readonly findings: Finding[];
  readonly checkedRequirements: ReadonlySet<RequirementId>;
  readonly metExpectations: readonly MetExpectation[] | undefined;
  readonly requests: number;
  /** The newest exchange. */
  readonly last: Exchange | undefined;
  /** Redacts the secrets that were sent so far. */
  redact<T>(value: T): T;
  close(): Promise<void>;
}

/** What a case needs to run. */
export interface ContractParts {
  readonly session: Session;
  readonly offers: ReadonlySet<Need>;
  readonly keepHeld: boolean;
  readonly open: (settings: CaseSettings) => Promise<Session>;
  readonly draw: RandomSource;
  readonly oracle: Oracle | undefined;
  /** Forms of replies that the run has reported; absent where each is reported. */
  readonly reportedForms?: Set<string>;
  readonly profile: Profile;
  /** The target was started with the settings that the case names or prefers. */
  readonly isPrepared: boolean;
  /** Called before each request; false when the budget is spent. */
  readonly spend: () => Promise<boolean>;
}

/** Opens the contract of a case. Findings are collected; only what ends the case throws, a `CaseEnded`. */
export function openContract(parts: ContractParts): OpenContract {
  const { session } = parts;
  const receivers: Receiver[] = [];
  const wire = openWire(session, async () => {
    if (!(await parts.spend())) throw new BudgetSpent();
  });
  const notes: CaseNotes = {
    findings: [],
    checkedRequirements: new Set(),
    spoilt: new Set(),
    metExpectations: parts.keepHeld ? [] : undefined,
    redact: (value) => withoutSecretsIn(value, wire.secrets),
  };
  return {
    ...notes,
    contract: contractOf(parts, wire, notes, receivers),
    get requests() {
      return wire.requests;
    },
    get last() {
      return wire.last;
    },
    async close() {
      await Promise.all(receivers.map((receiver) => receiver.close()));
      await wire.close();
    },
  };
}

function contractOf(parts: ContractParts, wire: Wire, notes: CaseNotes, receivers: Receiver[]): Contract {
  const { session, offers } = parts;
  return {
    draw: parts.draw,
    identity: session.identity,
    get objects() {
      if (!session.objects)
        throw new CaseEnded("The case uses the object store but does not declare the need object_store.");
      return session.objects;
    },
    reach: session.reach,
    isPrepared: parts.isPrepared,
    isClaimed: (section) => session.surface?.isClaimed(section) === true,
    patienceMs: offers.has("clock") ? Number.POSITIVE_INFINITY : (session.patience?.ms ?? PATIENCE_MS),
    chosen: (id) => chosenBy(parts.profile, id),
    has: (need) => offers.has(need),
    call: (method, path, options) => call(parts, wire, notes, method, path, options),
    ...expectations(notes, () => wire.last),
    ...controlCalls(wire, session, offers),
    async receiver() {
      const receiver = await session.reach.receiver();
      receivers.push(receiver);
      return receiver;
    },
    async atRest() {
      if (!session.atRest) throw new CaseEnded("The case reads files but does not declare the need at_rest.");
      return session.atRest();
    },
    refusesToStart: (settings) => startupError(parts, settings),
    lack(what) {
      throw new Lacking(what);
    },
    eventually: (check) => eventually(session, check),
    secret(text) {
      wire.secrets.add(text);
      return text;
    },
  };
}

const MAX_LEVELS = BOUNDS.json_levels.value;

/** Sends a request; the findings of the oracle about it and its reply are added to the notes. */
async function call<T>(
  parts: ContractParts,
  wire: Wire,
  { findings, spoilt, redact }: CaseNotes,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Reply<T>> {
  refuseWriting(parts, method, path);
  const request = requestOf(parts.session.identity, method, path, options);
  const { reply, shown, isAbsent } = await wire.send(request, options.mayLack);
  // Recursive code, such as that of the oracle, cannot process it.
  if (isDeeperThan(MAX_LEVELS, reply.text))
    throw new CaseEnded(`the JSON of the reply is nested more than ${MAX_LEVELS} levels deep`);
  const checked = await checkReply(request, reply, {
    ...parts,
    secrets: wire.secrets,
    isUnchecked: options.unchecked === true || isAbsent,
  });
  for (const { isFatal, ...finding } of checked.findings) {
    // What a case sends wrong it sends on purpose.
    if (finding.blame !== "caller") findings.push({ ...redact(finding), exchange: shown });
    if (isFatal) spoilt.add(shown);
  }
  return { ...reply, body: checked.body as T, exchange: shown };
}

const FIRST_POLL_MS = 25;
const MAX_POLL_MS = 1000;
const PATIENCE_MS = 10_000;

async function eventually(
  { reach, patience = { ms: PATIENCE_MS, isSpent: false } }: Session,
  check: () => Promise<boolean>,
): Promise<boolean> {
  let pollMs = FIRST_POLL_MS;
  for (let waitedMs = 0; ; waitedMs += pollMs, pollMs = Math.min(pollMs * 2, MAX_POLL_MS)) {
    if (await check()) return true;
    if (patience.isSpent || waitedMs >= patience.ms) break;
    await reach.wait(pollMs);
  }
  patience.isSpent = true;
  return false;
}

async function startupError({ open }: ContractParts, settings: CaseSettings): Promise<string | null> {
  try {
    await (await open(settings)).close();
    return null;
  } catch (error) {
    const { name, message } = error as Error;
    // A server that does not answer has not refused anything.
    if (error instanceof Lacking || name === "Unreachable") throw error;
    return message;
  }
}

interface CaseNotes {
  readonly findings: Finding[];
  readonly checkedRequirements: Set<RequirementId>;
  /** Exchanges whose reply is unusable, which is a finding of its own. */
  readonly spoilt: Set<Exchange>;
  readonly metExpectations: MetExpectation[] | undefined;
  redact<T>(value: T): T;
}

function expectations(
  { findings, checkedRequirements, spoilt, metExpectations, redact }: CaseNotes,
  last: () => Exchange | undefined,
): Pick<Contract, "fact" | "choice" | "must"> {
  function expect(
    verdict: "FAIL" | "UNSPECIFIED",
    id: RequirementId,
    check: boolean | Check,
    message: string,
    context: Difference & { readonly assumption?: AssumptionId } = {},
  ): boolean {
    checkedRequirements.add(id);
    const exchange = context.exchange ?? last();
    const { holds, ...compared } = typeof check === "boolean" ? { holds: check } : check;
    const { exchange: _, ...difference } = redact({ ...compared, ...context });
    const text = redact(message);
    if (holds) {
      metExpectations?.push({ requirement: id, text, did: describeActual(difference, exchange) });
      return true;
    }
    if (exchange && spoilt.has(exchange)) return false;
    const isChosen = verdict === "UNSPECIFIED" || REQUIREMENTS[id].kind === "A";
    const blame: Blame = isChosen ? "specification" : "target";
    findings.push({
      verdict: isChosen ? "UNSPECIFIED" : verdict,
      blame,
      requirement: id,
      section: sectionOf(id),
      text,
      ...difference,
      exchange,
    });
    return false;
  }

  const fact: Contract["fact"] = (id, holds, text, difference) => expect("FAIL", id, holds, text, difference);

  return {
    fact,
    choice(id, holds, text, difference) {
      if (id in REQUIREMENTS) return expect("UNSPECIFIED", id as RequirementId, holds, text, difference);
      const assumption = id as AssumptionId;
      const { requirement } = ASSUMPTIONS[assumption];
      return expect("UNSPECIFIED", requirement, holds, text, { ...difference, assumption });
    },
    must(id, holds, text, difference) {
      if (!fact(id, holds, text, difference)) throw new CaseEnded(text);
    },
  };
}

/** Throws for a case that writes without having said so, on a target that may not be written to. */
function refuseWriting({ offers }: ContractParts, method: string, path: string): void {
  if (offers.has("writes") || isReading(method, path)) return;
  throw new Error(`${method} ${path} is a write, but the case does not declare the need writes.`);
}

/** Whether a call changes nothing: searches are the only POST that does not write. */
function isReading(method: string, path: string): boolean {
  return /^(GET|HEAD|OPTIONS)$/.test(method) || (method === "POST" && /\/(search|query)$/.test(path));
}

function requestOf(
  { apiKey, tenantId, headers: always = {} }: Identity,
  method: string,
  path: string,
  { body, headers = {}, region = "us" }: CallOptions,
): WireRequest {
  const allHeaders: Record<string, string | null> = {
    "x-api-key": apiKey,
    "x-tenant-id": tenantId,
    ...(body !== undefined && { "content-type": "application/json" }),
    ...always,
    ...headers,
  };
  const sentHeaders = Object.entries(allHeaders).filter(
    (header): header is [string, string] => header[1] !== null,
  );
  const text: string | undefined = typeof body === "string" ? body : printExact(body);
  return {
    region,
    method,
    path,
    headers: Object.fromEntries(sentHeaders),
    body: text,
  };
}
