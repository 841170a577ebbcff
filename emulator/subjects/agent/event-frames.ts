import type { Plan } from "./plan.ts";
import type { Json } from "./records.ts";
import type { StepContext } from "./step-context.ts";

/** The data of one event of mode `events`. */
export function chainEvent({ run_id, graph_id }: Plan, event: string, name: string, data: Json): Json {
  return { event, name, run_id, tags: [], metadata: { graph_id }, data };
}

/** The events of one step in mode `events`. */
export function eventsOf({ plan, step, values }: StepContext): readonly Json[] {
  const { graph_id } = plan;
  const chainFrame = (event: string, name: string, data: Json) => chainEvent(plan, event, name, data);
  switch (step.kind) {
    case "input":
      return [chainFrame("on_chain_start", graph_id, { input: step.update })];
    case "begin":
      return [chainFrame("on_chain_start", step.node, { input: values })];
    case "message":
      if (step.message.type === "tool")
        return [
          chainFrame("on_tool_start", String(step.message.name), { input: {} }),
          chainFrame("on_tool_end", String(step.message.name), { output: step.message }),
        ];
      return [
        ...(step.first ? [chainFrame("on_chat_model_start", `${step.node}-model`, { input: {} })] : []),
        chainFrame("on_chat_model_stream", `${step.node}-model`, { chunk: step.chunk }),
        ...(step.last
          ? [chainFrame("on_chat_model_end", `${step.node}-model`, { output: step.message })]
          : []),
      ];
    case "update":
      return [
        ...(step.update ? [chainFrame("on_chain_stream", step.node, { chunk: step.update })] : []),
        chainFrame("on_chain_end", step.node, { output: step.update ?? {} }),
      ];
    case "values":
      return [chainFrame("on_chain_stream", graph_id, { chunk: values })];
    default:
      return [];
  }
}
