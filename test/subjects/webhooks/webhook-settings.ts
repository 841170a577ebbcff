import { resolveConfiguration } from "../../../emulator/config/resolve.ts";
import type { Settings } from "../../../emulator/subjects/settings.ts";

/** The settings that these keys of a configuration file come to. */
export async function settingsWith(options: Record<string, unknown>): Promise<Settings> {
  const resolution = await resolveConfiguration({ cwd: "/", env: {}, options });
  if (!resolution.ok) throw new Error(resolution.problems.join("\n"));
  return resolution.configuration.settings;
}
