import { resolve } from "node:path";
import { type Resolution, resolveConfiguration } from "../emulator/config/resolve.ts";
import { type Invocation, UsageError } from "./command.ts";

type Resolved = Extract<Resolution, { ok: true }>;

/** The configuration of an invocation; every problem is a line and ends the command. */
export async function configurationOf({ cwd, env, flags }: Invocation, discover = true): Promise<Resolved> {
  const resolution = await resolveConfiguration({ cwd, env, flags, discover });
  if (!resolution.ok) throw new UsageError(resolution.problems.join("\n"));
  return resolution;
}

/** Where an emulator of this configuration leaves its locator; one that keeps nothing has no data folder. */
export function locatorFolder({ configuration }: Resolved, cwd: string): string {
  return configuration.dataFolder ?? resolve(cwd, ".emulator");
}
