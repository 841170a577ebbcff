import { VERSION_GATES, type VersionGate, type VersionGateKey } from "../../contracts/spec/versions.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { Versions } from "./settings.ts";

const COMPONENTS = ["service", "application", "agent_server"] as const;

/** §9.4: throws a `Refusal` for a feature that the emulated version lacks, naming the version that has it. */
export function requireFeature(versions: Versions, key: VersionGateKey): void {
  const missingKey = missingVersion(versions, key);
  if (missingKey)
    throw new Refusal(422, "unsupported_by_version", missingKey, undefined, VERSION_GATES[key].requirement);
}

/** The version required by a feature; undefined when the emulated version has it. */
export function missingVersion(versions: Versions, key: VersionGateKey): string | undefined {
  const gate: VersionGate = VERSION_GATES[key];
  for (const component of COMPONENTS) {
    const since = gate[component];
    if (since !== undefined && compareVersions(versions[component], since) < 0)
      return `${gate.feature} needs ${component.replace("_", "-")} version ${since} or later; emulated is ${versions[component]}.`;
  }
  return undefined;
}

/** Compares dotted numbers; a missing part counts as 0. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split(".").map(Number)) as [number[], number[]];
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}
