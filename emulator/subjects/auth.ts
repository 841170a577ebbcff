import type { AuthSettings, ConfiguredKey } from "./settings.ts";

/** The workspace of a fresh world, and of a call that does not name one (§5-6). */
export const DEFAULT_TENANT_ID = "00000000-0000-4000-8000-000000000001";

/** A configured key is good in its own region, and in all if it has none (1-5). */
export function isGoodIn(key: ConfiguredKey, region: string): boolean {
  return key.region === undefined || key.region === region;
}

/** The configured keys that are good in a region. */
export function keysIn({ keys }: AuthSettings, region: string): readonly ConfiguredKey[] {
  return keys.filter((one) => isGoodIn(one, region));
}

/** The API key of the README's examples; by default any other key works too. */
export const DEFAULT_API_KEY = "emulator-key";
