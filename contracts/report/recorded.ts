import type { RunReport } from "../engine/run.ts";
import { counted } from "./counted.ts";

/** The noun for a result: cases of a run, exchanges of recorded traffic. */
export function resultNoun({ recorded }: Pick<RunReport, "recorded">): "case" | "exchange" {
  return recorded ? "exchange" : "case";
}

/** What recorded traffic leaves open. */
export function recordedLines({ recorded, results }: Pick<RunReport, "recorded" | "results">): string[] {
  if (!recorded) return [];
  const { exchanges, foreign, undecided } = recorded;
  const ids = Object.entries(undecided).map(([id, count]) => `§${id} (${counted(count, "exchange")})`);
  return [
    ...(foreign > 0
      ? [
          `${foreign} of ${counted(exchanges, "exchange")} are not requests to the API, and were not checked.`,
          "",
        ]
      : []),
    ...(ids.length > 0
      ? [
          `Statements about these operations that recorded exchanges do not decide: ${ids.join(", ")}. \`emulator contract run\` checks them on a server.`,
          "",
        ]
      : []),
    ...(results.length === 0 ? ["No exchange was checked."] : []),
  ];
}
