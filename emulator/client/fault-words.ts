import { FAULT_PRESETS, FAULT_TARGETS, type FaultTargetRow } from "../../contracts/spec/faults.ts";
import { hintFor } from "../kernel/nearest.ts";
import { Refusal } from "../kernel/refusal.ts";
import { readMatchValue, readThenValue } from "../subjects/faults/values.ts";

type Members = Readonly<Record<string, unknown>>;

/** A fault in a file, whose texts may contain variables (`${name}`). */
export interface WrittenFault {
  readonly preset?: string | undefined;
  readonly target?: string | undefined;
  /** The former name of `target`. */
  readonly plane?: string | undefined;
  readonly match?: Members;
  readonly then?: Members;
}

/** A member of a fault, and its problem. */
export interface FaultWordProblem {
  readonly path: readonly [place: "match" | "then", name: string];
  readonly text: string;
}

/** Members and values of a fault that its target does not accept. Values with variables are checked when it is armed. */
export function faultWordProblems(fault: WrittenFault): readonly FaultWordProblem[] {
  const { match = {}, then = {} } = fault;
  const row = targetOf(fault);
  if (!row) return [];
  return [
    ...problemsIn("match", match, row.match, readMatchValue),
    ...problemsIn("then", then, kindsOf(row), (kind, where, value) =>
      kind === "duration" ? value : readThenValue(kind, where, value),
    ),
  ];
}

function targetOf({ preset, plane, target = plane }: WrittenFault): FaultTargetRow | undefined {
  const targets: Readonly<Record<string, FaultTargetRow>> = FAULT_TARGETS;
  const presets: Readonly<Record<string, { readonly target: string }>> = FAULT_PRESETS;
  return targets[String(preset === undefined ? target : presets[preset]?.target)];
}

function kindsOf({ then }: FaultTargetRow) {
  return Object.fromEntries(Object.entries(then).map(([name, { takes }]) => [name, takes]));
}

function problemsIn<Kind>(
  place: "match" | "then",
  members: Members,
  kinds: Readonly<Record<string, Kind>>,
  read: (kind: Kind, where: string, value: unknown) => unknown,
): readonly FaultWordProblem[] {
  return Object.entries(members).flatMap(([name, value]) => {
    const path = [place, name] as const;
    const kind = kinds[name];
    if (kind === undefined) return [{ path, text: unknownMember(name, Object.keys(kinds)) }];
    if (JSON.stringify(value).includes("${")) return [];
    const text = refusalOf(() => read(kind, name, value));
    return text === undefined ? [] : [{ path, text: text.replace(/^\w+(?=\[|: )(: )?/, "") }];
  });
}

function unknownMember(name: string, knownNames: readonly string[]): string {
  return `is not valid for this target; ${hintFor(name, knownNames, `use one of ${knownNames.join(", ")}`)}`;
}

/** The reason why a value is refused, with the valid values. */
function refusalOf(act: () => unknown): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [error.message, error.hint].filter(Boolean).join(" ");
  }
}
