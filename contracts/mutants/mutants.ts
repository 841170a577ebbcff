import type { Mutant } from "../engine/mutant.ts";
import { AGENT_MUTANTS } from "./agent.ts";
import { CALLER_MUTANTS } from "./callers.ts";
import { EXPORT_REQUEST_MUTANTS } from "./export-requests.ts";
import { EXTENSION_MUTANTS } from "./extensions.ts";
import { LIFECYCLE_MUTANTS } from "./lifecycle.ts";
import { SETTING_MUTANTS } from "./settings.ts";
import { STORAGE_MUTANTS } from "./storage.ts";
import { WEBHOOK_MUTANTS } from "./webhooks.ts";

/** Every mutant that the suites detect. */
export const MUTANTS: readonly Mutant[] = [
  ...AGENT_MUTANTS,
  ...CALLER_MUTANTS,
  ...EXPORT_REQUEST_MUTANTS,
  ...LIFECYCLE_MUTANTS,
  ...SETTING_MUTANTS,
  ...STORAGE_MUTANTS,
  ...WEBHOOK_MUTANTS,
  ...EXTENSION_MUTANTS,
];
