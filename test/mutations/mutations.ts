import { BLIND_ESCAPE_MUTATIONS } from "./blind-escapes.ts";
import { ESCAPE_MUTATIONS } from "./escapes.ts";
import type { Mutation } from "./mutation.ts";
import { EXPORT_MUTATIONS, OTHER_MUTATIONS } from "./rules.ts";
import { RATE_LIMIT_MUTATIONS, TABLE_MUTATIONS } from "./tables.ts";

/** Every mutation that `contract run` is known to notice. */
export const MUTATIONS: readonly Mutation[] = [
  ...TABLE_MUTATIONS,
  ...RATE_LIMIT_MUTATIONS,
  ...EXPORT_MUTATIONS,
  ...OTHER_MUTATIONS,
  ...ESCAPE_MUTATIONS,
  ...BLIND_ESCAPE_MUTATIONS,
];
