import type { AssumptionValue } from "./assumption.ts";
import { ASSUMPTION_IDS, ASSUMPTIONS, type AssumptionId } from "./assumptions.ts";

/** Settings as the configuration file nests them. */
export type NestedSettings = Readonly<Record<string, unknown>>;

/** A key of the platform and the workspaces that it is admitted to. */
export interface AdmittedKey {
  readonly key: string;
  readonly tenants: readonly string[];
}

/** The choices that can be made in another way, in the order of the tables. */
export const OPEN_CHOICES: readonly AssumptionId[] = ASSUMPTION_IDS.filter(
  (id) => "alternatives" in ASSUMPTIONS[id],
);

/** Every value that a choice can have, the one of the tables first. */
export function valuesOf(id: AssumptionId): readonly AssumptionValue[] {
  const { choice, alternatives = [] } = ASSUMPTIONS[id];
  return [choice, ...alternatives];
}

/** Settings under which the emulator reads the specification so; `key` is the one that its callers use. */
export function settingsFor(id: AssumptionId, value: AssumptionValue, key: AdmittedKey): NestedSettings {
  const { choice, setting } = ASSUMPTIONS[id];
  if (id === "platform.unknown_fields") return { strict: value !== choice };
  if (id === "platform.accepted_keys")
    return { auth: { mode: value, ...(value === "keys" && { keys: [key] }) } };
  return setting === undefined ? { assumptions: { [id]: value } } : nested(setting, value);
}

/** `{ limits: { x: value } }` for `limits.x`. */
function nested(path: string, value: AssumptionValue): NestedSettings {
  const [first = "", ...rest] = path.split(".");
  return { [first]: rest.length === 0 ? value : nested(rest.join("."), value) };
}
