import type { Assumption } from "../../../contracts/spec/assumption.ts";
import { ASSUMPTION_IDS, ASSUMPTIONS } from "../../../contracts/spec/assumptions.ts";
import type { Configuration } from "../../configuration.ts";

/** What `GET /_emulator/v1/config` answers: everything in effect; keys of callers are masked. */
export function configurationView(configuration: Configuration): Readonly<Record<string, unknown>> {
  const { settings, ...rest } = configuration;
  const { assumptions, auth, ...shown } = settings;
  const keys = auth.keys.map(({ key, tenants }) => ({ key: `${key.slice(0, 2)}…`, tenants }));
  return {
    ...rest,
    settings: { ...shown, auth: { ...auth, keys } },
    seedData: { ...rest.seedData, destinations: rest.seedData.destinations.map(withoutCredentials) },
    assumptions: Object.fromEntries(
      ASSUMPTION_IDS.map((id) => [id, { value: assumptions[id], ...(ASSUMPTIONS[id] as Assumption) }]),
    ),
  };
}

function withoutCredentials({ credentials: _, ...destination }: Readonly<Record<string, unknown>>) {
  return destination;
}
