import type { Variant } from "../engine/variant.ts";
import { AGENT_VARIANTS } from "./agent.ts";
import { ALTERNATIVE_VARIANTS } from "./assumptions.ts";
import { EXPORT_VARIANTS } from "./exports.ts";
import { FILE_VARIANTS } from "./files.ts";
import { REPLY_VARIANTS } from "./replies.ts";
import { REQUEST_VARIANTS } from "./requests.ts";

/** Every variant, on which no case may FAIL. */
export const VARIANTS: readonly Variant[] = [
  ...ALTERNATIVE_VARIANTS,
  ...REPLY_VARIANTS,
  ...REQUEST_VARIANTS,
  ...EXPORT_VARIANTS,
  ...FILE_VARIANTS,
  ...AGENT_VARIANTS,
];
