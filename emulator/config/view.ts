import type { Assumption } from "../../contracts/spec/assumption.ts";
import { ASSUMPTION_IDS, ASSUMPTIONS } from "../../contracts/spec/assumptions.ts";
import { storeErrorTable } from "../subjects/destinations/store-failure.ts";
import type { Configuration, SeedKey } from "./configuration.ts";

/** The reply of `GET /_emulator/v1/config`: all effective settings; API keys and webhook headers are masked. */
export function configurationView(configuration: Configuration): Readonly<Record<string, unknown>> {
  const { settings, ...rest } = configuration;
  const { assumptions, auth, webhooks, ...shown } = settings;
  const keys = auth.keys.map(({ key, ...more }) => ({ key: `${key.slice(0, 2)}…`, ...more }));
  const headers = Object.fromEntries(Object.keys(webhooks.headers).map((name) => [name, "…"]));
  return {
    ...rest,
    settings: { ...shown, auth: { ...auth, keys }, webhooks: { ...webhooks, headers } },
    seedData: {
      ...rest.seedData,
      destinations: rest.seedData.destinations.map(withoutCredentials),
      keys: rest.seedData.keys.map(withoutSecrets),
    },
    store_errors: storeErrorTable(settings),
    assumptions: Object.fromEntries(
      ASSUMPTION_IDS.map((id) => [id, { value: assumptions[id], ...(ASSUMPTIONS[id] as Assumption) }]),
    ),
  };
}

function withoutCredentials({ credentials: _, ...destination }: Readonly<Record<string, unknown>>) {
  return destination;
}

function withoutSecrets({ secret_access_key: _, session_token: __, ...key }: SeedKey) {
  return key;
}
