import { ASSUMPTION_IDS, ASSUMPTIONS } from "../../contracts/spec/assumptions.ts";
import { hideIn, hideWith } from "../../contracts/spec/secrets.ts";
import { storeErrorTable } from "../subjects/destinations/store-failure.ts";
import { MASK } from "../subjects/webhooks/mask.ts";
import type { Configuration, SeedKey } from "./configuration.ts";

const hide = hideWith(MASK);

/** The reply of `GET /_emulator/v1/config`: all effective settings; API keys and webhook headers are masked. */
export function configurationView(configuration: Configuration): Readonly<Record<string, unknown>> {
  const { settings, ...rest } = configuration;
  const { assumptions, auth, webhooks, ...shown } = settings;
  const keys = auth.keys.map(({ key, ...more }) => ({ key: `${key.slice(0, 2)}${MASK}`, ...more }));
  const headers = Object.fromEntries(Object.keys(webhooks.headers).map((name) => [name, MASK]));
  return {
    ...rest,
    settings: { ...shown, auth: { ...auth, keys }, webhooks: { ...webhooks, headers } },
    seedData: {
      ...rest.seedData,
      destinations: hideIn(rest.seedData.destinations.map(withoutCredentials), hide),
      keys: rest.seedData.keys.map(withoutSecrets),
    },
    store_errors: storeErrorTable(settings),
    assumptions: Object.fromEntries(
      ASSUMPTION_IDS.map((id) => [id, { value: assumptions[id], alternatives: [], ...ASSUMPTIONS[id] }]),
    ),
  };
}

function withoutCredentials({ credentials: _, ...destination }: Readonly<Record<string, unknown>>) {
  return destination;
}

function withoutSecrets({ secret_access_key: _, session_token: __, ...key }: SeedKey) {
  return key;
}
