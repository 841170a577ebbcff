import type { FaultTarget } from "../../../contracts/spec/faults.ts";
import { ADDRESSES, hideIn, hideWith } from "../../../contracts/spec/secrets.ts";
import { formatInstant, formatInstantOrNull, type Instant } from "../../kernel/instant.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Reader, Turn } from "../turn.ts";
import { MASK } from "../webhooks/mask.ts";
import { readFault } from "./parse.ts";
import { FAULTS, type FaultRule, isExpired, type RuleBase } from "./records.ts";

/** A rule in the form of the control API. */
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
    expires_at: formatInstantOrNull(expires_at),
  };
}

/** `POST /faults`. Throws a `Refusal` (422) for an invalid fault or one above `limits.faults`. */
export function armFault(turn: Turn, input: unknown): FaultView {
  const { ttlMs, ...fault } = readFault(input, turn.ports.settings.limits);
  const maximum = turn.ports.settings.limits.faults;
  if (faultsOf(turn).length >= maximum)
    throw new Refusal(
      422,
      "too_many_faults",
      `The world already has ${maximum} faults, spent ones included.`,
      "DELETE /_emulator/v1/faults removes them all; limits.faults sets the maximum.",
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

/** `GET /faults`: the rules of all targets, in the order in which they were armed. */
export function listFaults(reader: Reader, now: Instant): readonly FaultView[] {
  return faultsOf(reader).map((rule) => faultView(rule, now));
}

/** The rule with this id. Throws a `Refusal` (404). */
export function faultById(reader: Reader, id: string): FaultRule {
  const rule = reader.get(FAULTS, id.toLowerCase());
  if (rule) return rule;
  throw new Refusal(
    404,
    "no_such_fault",
    `No fault has the id ${id}.`,
    "GET /_emulator/v1/faults lists them.",
  );
}

/** `DELETE /faults/{id}` */
export function removeFault(turn: Turn, id: string): void {
  turn.remove(FAULTS, faultById(turn, id).id);
}

/** `DELETE /faults`. Returns how many were removed. */
export function removeFaults(turn: Turn): number {
  const rules = faultsOf(turn);
  for (const { id } of rules) turn.remove(FAULTS, id);
  return rules.length;
}

/** Faults that never triggered although they have to, expired ones included: `--strict` exits with 4 for them. */
export function untriggeredFaults(reader: Reader): readonly FaultRule[] {
  return faultsOf(reader).filter(({ hits, optional }) => hits === 0 && optional !== true);
}

function faultsOf(reader: Reader): readonly FaultRule[] {
  return [...reader.list(FAULTS)];
}
