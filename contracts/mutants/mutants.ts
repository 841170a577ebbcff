import { AGENT_MUTANTS } from "./agent.ts";
import { BEYOND_MUTANTS } from "./beyond.ts";
import { CALLER_MUTANTS } from "./callers.ts";
import { LIFE_MUTANTS } from "./lives.ts";
import type { Mutant } from "./mutant.ts";
import { ORDER_MUTANTS } from "./orders.ts";
import { SETTING_MUTANTS } from "./settings.ts";
import { STORAGE_MUTANTS } from "./storage.ts";
import { WEBHOOK_MUTANTS } from "./webhooks.ts";

/** Every lie that the suites are known to notice. */
export const MUTANTS: readonly Mutant[] = [
  ...AGENT_MUTANTS,
  ...CALLER_MUTANTS,
  ...ORDER_MUTANTS,
  ...LIFE_MUTANTS,
  ...SETTING_MUTANTS,
  ...STORAGE_MUTANTS,
  ...WEBHOOK_MUTANTS,
  ...BEYOND_MUTANTS,
];
