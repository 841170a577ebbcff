import { FAULT_PLANES, FAULT_PRESETS, type FaultPlaneRow } from "../../contracts/spec/faults.ts";
import { nearest } from "../kernel/nearest.ts";
import { Refusal } from "../kernel/refusal.ts";
import { readMatchValue, readThenValue } from "../subjects/faults/values.ts";

type Members = Readonly<Record<string, unknown>>;

/** A fault as a file has it, in which texts may hold variables (`${name}`). */
export interface WrittenFault {
  readonly preset?: string | undefined;
  readonly plane?: string | undefined;
  readonly match?: Members;
  readonly then?: Members;
}

/** A member of a fault, and what is wrong with it. */
export interface FaultWordProblem {
  readonly path: readonly [place: "match" | "then", name: string];
  readonly text: string;
}

/** Members and words of a fault that its plane does not know; those with variables are known only when it is armed. */
export function faultWordProblems(fault: WrittenFault): readonly FaultWordProblem[] {
  const { match = {}, then = {} } = fault;
  const row = planeOf(fault);
  if (!row) return [];
  return [
    ...problemsIn("match", match, row.match, readMatchValue),
    ...problemsIn("then", then, kindsOf(row), (kind, where, value) =>
      kind === "duration" ? value : readThenValue(kind, where, value),
    ),
  ];
}

function planeOf({ preset, plane }: WrittenFault): FaultPlaneRow | undefined {
  const planes: Readonly<Record<string, FaultPlaneRow>> = FAULT_PLANES;
  const presets: Readonly<Record<string, { readonly plane: string }>> = FAULT_PRESETS;
  return planes[String(preset === undefined ? plane : presets[preset]?.plane)];
}

function kindsOf({ then }: FaultPlaneRow) {
  return Object.fromEntries(Object.entries(then).map(([name, { takes }]) => [name, takes]));
}

function problemsIn<Kind>(
  place: "match" | "then",
  given: Members,
  kinds: Readonly<Record<string, Kind>>,
  read: (kind: Kind, where: string, value: unknown) => unknown,
): readonly FaultWordProblem[] {
  return Object.entries(given).flatMap(([name, value]) => {
    const path = [place, name] as const;
    const kind = kinds[name];
    if (kind === undefined) return [{ path, text: unknownMember(name, Object.keys(kinds)) }];
    if (JSON.stringify(value).includes("${")) return [];
    const text = refusalOf(() => read(kind, name, value));
    return text === undefined ? [] : [{ path, text: text.replace(/^\w+(?=\[|: )(: )?/, "") }];
  });
}

function unknownMember(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  const advice = meant === undefined ? `known are ${known.join(", ")}` : `did you mean ${meant}?`;
  return `is not known on this plane; ${advice}`;
}

/** Why a value is refused, with the words that are known. */
function refusalOf(act: () => unknown): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [error.message, error.hint].filter(Boolean).join(" ");
  }
}
