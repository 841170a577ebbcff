import { AGENT_MUTANTS } from "./agent.ts";
import type { Mutant } from "./mutant.ts";
import { PLATFORM_MUTANTS } from "./platform.ts";
import { SETTING_MUTANTS } from "./settings.ts";
import { STORAGE_MUTANTS } from "./storage.ts";
import { WEBHOOK_MUTANTS } from "./webhooks.ts";

/** Every lie that the suites are known to notice. */
export const MUTANTS: readonly Mutant[] = [
  ...AGENT_MUTANTS,
  ...PLATFORM_MUTANTS,
  ...SETTING_MUTANTS,
  ...STORAGE_MUTANTS,
  ...WEBHOOK_MUTANTS,
];
