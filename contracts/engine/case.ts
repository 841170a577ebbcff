import type { AssumptionId } from "../spec/assumptions.ts";
import type { RequirementId } from "../spec/requirements.ts";
import type { Contract } from "./contract.ts";
import type { Exchange } from "./exchange.ts";

/** What a case cannot do without; a target that lacks it makes the case UNSUPPORTED. */
export const NEEDS = {
  platform: "has the paths of the platform (under /api/v1)",
  writes: "may be written to (a service that is not local: --allow-writes)",
  tenants: "admits workspaces made up on the spot",
  ingest: "takes in trace rows",
  schedules: "has scheduled exports (service version 0.10.42 or later)",
  columns: "lets the columns of an export be chosen (service version 0.12.11 or later)",
  agent: "has an agent server (--agent-url)",
  eu: "has an address in the EU region (--eu-url)",
  object_store: "has an object store that the harness can look into (--s3 …)",
  control: "has the test-only surface of the emulator",
  clock: "lets the harness move its time",
  faults: "lets the harness arm faults",
  receiver: "can reach a receiver on this machine",
  settings: "can be started with other settings",
} as const satisfies Record<string, string>;

export type Need = keyof typeof NEEDS;

/** Settings that a case asks for, as in the configuration file; `environment` holds variables for its time. */
export type CaseSettings = Readonly<Record<string, unknown>>;

/** One question to a server, and which rows of the ledger its answer is about. */
export interface Case {
  /** `<section>/<slug>`, as it is selected. */
  readonly id: string;
  readonly title: string;
  readonly requirements: readonly RequirementId[];
  readonly needs: readonly Need[];
  /** What the target is to be started with; the case needs `settings` then. */
  readonly settings?: CaseSettings;
  run(t: Contract): Promise<void>;
}

/** Shorthand of the suites: what is left out of a case is nothing. */
export interface CaseRow {
  readonly title: string;
  readonly requirements: readonly RequirementId[];
  readonly needs?: readonly Need[];
  readonly settings?: CaseSettings;
  run(t: Contract): Promise<void>;
}

export const VERDICTS = ["PASS", "UNSUPPORTED", "NON-STRICT", "UNSPECIFIED", "FAIL"] as const;

/** From the mildest to the gravest. */
export type Verdict = (typeof VERDICTS)[number];

/** An expectation that the target has met, and what it did. */
export interface Held {
  readonly requirement: RequirementId;
  readonly text: string;
  readonly did: string;
}

/** Who has to change something: the server, the request, the reader of a silent specification, or this harness. */
export type Blame = "target" | "caller" | "specification" | "harness";

/** Something that is not as it should be. */
export interface Finding {
  readonly verdict: Exclude<Verdict, "PASS">;
  readonly blame: Blame;
  readonly requirement: RequirementId | null;
  readonly assumption?: AssumptionId;
  readonly section: string;
  /** What should have been. */
  readonly text: string;
  readonly expected?: unknown;
  readonly actual?: unknown;
  /** Request and reply, secrets removed. */
  readonly exchange?: Exchange;
}

/** What came of one case; `wallMs` is time of the wall clock. */
export interface CaseResult {
  readonly id: string;
  readonly section: string;
  readonly title: string;
  readonly requirements: readonly RequirementId[];
  readonly verdict: Verdict;
  readonly findings: readonly Finding[];
  /** Rows of the ledger that it came to ask about. */
  readonly asked: readonly RequirementId[];
  /** What was as it should be; only where two targets are compared. */
  readonly held?: readonly Held[];
  readonly requests: number;
  readonly wallMs: number;
}

/** The section that stands before the slash of a case's id. */
export function sectionOfCase(id: string): string {
  return id.slice(0, id.indexOf("/"));
}

/** The gravest verdict of some findings. */
export function worst(findings: readonly Pick<Finding, "verdict">[]): Verdict {
  return findings.reduce<Verdict>(
    (gravest, { verdict }) => (VERDICTS.indexOf(verdict) > VERDICTS.indexOf(gravest) ? verdict : gravest),
    "PASS",
  );
}

/** The cases of a suite: `{ "4.1/limit": { title, … } }`. */
export function suite(rows: Readonly<Record<string, CaseRow>>): readonly Case[] {
  return Object.entries(rows).map(([id, row]) => ({
    id,
    ...row,
    needs: [...new Set([...(row.needs ?? []), ...(row.settings ? (["settings"] as const) : [])])],
  }));
}
