import type { AuthSettings, ConfiguredKey } from "./settings.ts";

/** The workspace of a fresh world, and of a call that does not name one (§5-6). */
export const DEFAULT_TENANT_ID = "00000000-0000-4000-8000-000000000001";

/** The configured keys that are good in a region: its own, and those of no region (1-5). */
export function keysIn({ keys }: AuthSettings, region: string): readonly ConfiguredKey[] {
  return keys.filter((one) => one.region === undefined || one.region === region);
}

/** The API key of the README's examples; by default any other key works too. */
export const DEFAULT_API_KEY = "emulator-key";
