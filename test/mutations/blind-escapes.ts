import { mutationsOf } from "./mutation.ts";

/** Wrong behaviour that a blind run found before the cases did. */
export const BLIND_ESCAPE_MUTATIONS = [
  ...mutationsOf("emulator/subjects/filters/like.ts", [
    "like ignores the first text between two wildcards",
    "for (const part of between) {",
    "for (const part of between.slice(1)) {",
    "2.5/filter-like",
  ]),
  ...mutationsOf("emulator/subjects/filters/tokens.ts", [
    "true means false in a filter",
    '["true", true],',
    '["true", false],',
    "2.5/filter-values",
  ]),
  ...mutationsOf("emulator/subjects/bulk-exports/export.ts", [
    "an export that cannot begin keeps its slot",
    "    waiting.push(...releaseSlot(turn, pool, id, max_concurrent_exports_per_workspace));\n",
    "",
    "8.2/ends-in-queue",
  ]),
  ...mutationsOf("emulator/subjects/bulk-exports/capacity.ts", [
    "an export that ends while it waits stays in the queue",
    "  turn.remove(SLOT_QUEUE, id);\n  const admitted",
    "  const admitted",
    "8.2/ends-in-queue",
  ]),
  ...mutationsOf("emulator/subjects/webhooks/effects/send-external.ts", [
    "a receiver that answers with a text gets its delivery again",
    '.toString("utf8")',
    '.toString("changed" as "utf8")',
    "6/statuses",
  ]),
] as const;
