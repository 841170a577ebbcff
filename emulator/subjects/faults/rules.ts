import type { FaultTarget } from "../../../contracts/spec/faults.ts";
import { ADDRESSES, hideIn, hideWith } from "../../../contracts/spec/secrets.ts";
import { formatInstant, type Instant } from "../../kernel/instant.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Reader, Turn } from "../turn.ts";
import { MASK } from "../webhooks/mask.ts";
import { readFault } from "./parse.ts";
import { FAULTS, type FaultRule, isExpired, type RuleBase } from "./records.ts";

const MAX_RULES = 1000;

/** A rule as the control API shows it. */
export interface FaultView extends Omit<RuleBase, "armed_at" | "expires_at"> {
  readonly target: FaultTarget;
  readonly then: Readonly<Record<string, unknown>>;
  readonly state: "armed" | "spent" | "expired";
  readonly armed_at: string;
  readonly expires_at: string | null;
}

const hide = hideWith(MASK, ADDRESSES);

/** A rule with its state as of now and with times as ISO 8601; secrets masked. */
export function faultView(rule: FaultRule, now: Instant): FaultView {
  const { armed_at, expires_at, hits, times } = rule;
  const state = hits >= times ? "spent" : isExpired(expires_at, now) ? "expired" : "armed";
  return {
    ...hideIn(rule, hide),
    state,
    armed_at: formatInstant(armed_at),
    expires_at: expires_at === null ? null : formatInstant(expires_at),
  };
}

/** `POST /faults`: what the language does not know is refused before anything is armed. */
export function armFault(turn: Turn, input: unknown): FaultView {
  const { ttlMs, ...fault } = readFault(input, turn.ports.settings.limits);
  if (faultsOf(turn).length >= MAX_RULES)
    throw new Refusal(
      422,
      "too_many_faults",
      `There are ${MAX_RULES} faults already, spent ones included.`,
      "DELETE /_emulator/v1/faults takes them all away.",
    );
  const rule: FaultRule = {
    id: turn.nextId("fault"),
    ...fault,
    hits: 0,
    seen: 0,
    armed_at: turn.now,
    expires_at: ttlMs === null ? null : turn.now + ttlMs,
  };
  turn.put(FAULTS, rule);
  return faultView(rule, turn.now);
}

/** `GET /faults`: of all targets, in the order of arming. */
export function listFaults(reader: Reader, now: Instant): readonly FaultView[] {
  return faultsOf(reader).map((rule) => faultView(rule, now));
}

/** Throws a `Refusal` (404) when there is none. */
export function faultById(reader: Reader, id: string): FaultRule {
  const found = reader.get(FAULTS, id.toLowerCase());
  if (found) return found;
  throw new Refusal(404, "no_such_fault", `There is no fault ${id}.`, "GET /_emulator/v1/faults lists them.");
}

/** `DELETE /faults/{id}` */
export function removeFault(turn: Turn, id: string): void {
  turn.remove(FAULTS, faultById(turn, id).id);
}

/** `DELETE /faults`: how many there were. */
export function removeFaults(turn: Turn): number {
  const rules = faultsOf(turn);
  for (const { id } of rules) turn.remove(FAULTS, id);
  return rules.length;
}

/** Faults that were never hit and have to be, expired ones included: `--strict` ends with exit code 4 for them. */
export function untriggeredFaults(reader: Reader): readonly FaultRule[] {
  return faultsOf(reader).filter(({ hits, optional }) => hits === 0 && optional !== true);
}

function faultsOf(reader: Reader): readonly FaultRule[] {
  return [...reader.all(FAULTS)];
}
