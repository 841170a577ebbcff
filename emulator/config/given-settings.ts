import { givenBy, type Sources } from "./resolve.ts";
import { SETTINGS } from "./settings.ts";

/** About one machine, or held by a world and its snapshots. */
const OF_ONE_PLACE =
  /^(server|seed|seed_data|auth)(\.|$)|^clock\.(mode|rate|now)$|^webhooks\.(headers|env_prefix)$/;

/** The settings that are given, by their paths, as an emulator elsewhere needs them to answer alike; no secrets. */
export async function givenSettings(sources: Sources): Promise<Readonly<Record<string, unknown>>> {
  const settings = await givenBy(sources, []);
  const portable = settings.filter(
    ({ path }) => !OF_ONE_PLACE.test(path) && SETTINGS.get(path)?.secret !== true,
  );
  return Object.fromEntries(portable.map(({ path, value }) => [path, value]));
}
