import type { Contract } from "../engine/contract.ts";
import { instantOf, iso } from "../engine/instant.ts";
import type { Members } from "../engine/json.ts";

/** A root row of a trace. */
export function row(t: Contract, start: number, more: Members = {}): Members {
  const id = t.draw.uuid();
  return {
    id,
    trace_id: id,
    dotted_order: `${iso(start)
      .replace(/\.\d+Z$|Z$/, "")
      .replace(/[-:]/g, "")}000000Z${id}`,
    name: "step",
    run_type: "chain",
    start_time: iso(start),
    end_time: iso(start + 1500),
    inputs: { question: "Why?" },
    outputs: { answer: "Because." },
    ...more,
  };
}

/** A root row with a start in microseconds: ISO 8601 with six decimals. */
export function rowAt(t: Contract, start: string, more: Members = {}): Members {
  const sentRow = row(t, instantOf(start), more);
  const stamp = start.replace(/[-:.]/g, "");
  return { ...sentRow, start_time: start, dotted_order: stamp + String(sentRow.id) };
}
