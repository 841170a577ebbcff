import type { Oracle } from "../engine/oracle/oracle.ts";
import type { Profile } from "../engine/profile.ts";

export const ORACLES = ["tables", "prism"] as const;

/** `tables` validates with the emulator's own tables; `prism` needs the package @stoplight/prism-http. */
export type OracleName = (typeof ORACLES)[number];

/** Opens an oracle, once for each profile. Rejects with `ERR_MODULE_NOT_FOUND` when its package is not installed. */
export async function openOracle(profile?: Profile, name: OracleName = "tables"): Promise<Oracle> {
  if (name === "prism") return (await import("./prism.ts")).openPrismOracle(profile);
  return (await import("./table-oracle.ts")).openTableOracle(profile);
}
