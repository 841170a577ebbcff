import { resolve } from "node:path";
import { type Resolution, resolveConfiguration } from "../emulator/config/resolve.ts";
import { type Invocation, UsageError } from "./command.ts";

type Resolved = Extract<Resolution, { ok: true }>;

/** Resolves the configuration of an invocation; throws `UsageError` with one line for each problem. `options` win. */
export async function configurationOf(
  { cwd, env, flags }: Invocation,
  discover = true,
  options: Readonly<Record<string, unknown>> = {},
): Promise<Resolved> {
  const resolution = await resolveConfiguration({ cwd, env, flags, discover, options });
  if (!resolution.ok) throw new UsageError(...resolution.problems);
  return resolution;
}

/** Folder of the locator file of an emulator with this configuration; an ephemeral one has no data folder. */
export function locatorFolder({ configuration }: Resolved, cwd: string): string {
  return configuration.dataFolder ?? resolve(cwd, ".emulator");
}
