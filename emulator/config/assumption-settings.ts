import type { Assumption } from "../../contracts/spec/assumption.ts";
import { ASSUMPTION_IDS, ASSUMPTIONS, type AssumptionId } from "../../contracts/spec/assumptions.ts";
import { formatDuration } from "../kernel/duration.ts";
import { values } from "./kinds.ts";
import { type Setting, setting } from "./setting.ts";

/** A setting for each assumption with alternatives; without a value the profile decides. */
export const ASSUMPTION_SETTINGS: readonly [string, Setting][] = ASSUMPTION_IDS.filter(
  (id) => ASSUMPTIONS[id].switchable,
).map((id) => {
  const { section, choice, alternatives = [], reason } = ASSUMPTIONS[id];
  return [pathOf(id), setting(values([choice, ...alternatives]), null, `${reason} (§${section})`)];
});

/**
 * The effective value of every assumption: its own setting, else the profile's, else the default. One
 * that is a setting of another name follows that setting where it has a value.
 */
export function effectiveAssumptions(
  profile: "spec" | "observed",
  settings: ReadonlyMap<string, Setting>,
  valueOf: (path: string) => unknown,
): Readonly<Record<AssumptionId, unknown>> {
  const effective = ASSUMPTION_IDS.map((id) => {
    const { choice, observed, setting: path } = ASSUMPTIONS[id];
    const followed = path === undefined ? undefined : settings.get(path);
    const own = valueOf(path ?? pathOf(id)) ?? null;
    if (followed !== undefined && own !== null)
      return [id, following(ASSUMPTIONS[id], followed, own)] as const;
    return [id, own ?? (profile === "observed" ? observed : undefined) ?? choice] as const;
  });
  return Object.fromEntries(effective) as Record<AssumptionId, unknown>;
}

/** Why an assumption cannot be set under `assumptions`, and where it can. */
export function unswitchable(id: string): string | undefined {
  if (!(id in ASSUMPTIONS)) return undefined;
  const { setting: path } = ASSUMPTIONS[id as AssumptionId];
  return path === undefined ? "it has no alternatives" : `set ${path} instead`;
}

/** The spelling of a followed setting's value, where the assumption's own choice is such a value. */
function following(row: Assumption, followed: Setting, value: unknown): unknown {
  if (typeof value === "boolean") return value === followed.initial ? row.choice : row.alternatives?.[0];
  const isSuchValue = followed.initial === null || followed.kind.read(row.choice) === followed.initial;
  if (!isSuchValue) return row.choice;
  const spelled = [row.choice, ...(row.alternatives ?? [])].find(
    (spelling) => followed.kind.read(spelling) === value,
  );
  return (
    spelled ?? (typeof row.choice === "string" && typeof value === "number" ? formatDuration(value) : value)
  );
}

function pathOf(id: string): string {
  return `assumptions.${id}`;
}
