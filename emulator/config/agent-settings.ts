import { type AgentScript, readScript } from "../subjects/agent/script.ts";
import { type AgentGraph, GRAPH_BEHAVIOURS } from "../subjects/settings.ts";
import { choice, isObject, type Kind, list, record, text, toggle } from "./kinds.ts";
import { setting } from "./setting.ts";

/** A script as the control operation takes it; what is wrong with one is told with the setting. */
function script(): Kind<AgentScript> {
  return {
    expects:
      "a script: match {assistant_id, thread_id, nth}, then {status, after, values, error, events, interrupt, never_starts, dies}, times",
    schema: {
      type: "object",
      properties: {
        match: { type: "object" },
        then: { type: "object" },
        times: { type: "integer", minimum: 1 },
      },
      required: ["then"],
      additionalProperties: false,
    },
    read(value) {
      const read = isObject(value) ? readScript(value) : { problem: "" };
      return "script" in read ? read.script : undefined;
    },
    fromText: (given) => given,
  };
}

/** What the agent server serves, and how its runs end. */
export const AGENT_SETTINGS = {
  "agent.assistants": setting(
    list(
      record<AgentGraph>({
        graph_id: text("a graph's name"),
        "name?": text(),
        "description?": text(),
        "like?": choice(...GRAPH_BEHAVIOURS),
      }),
      "assistants, each with graph_id and like, one of the built-in ones",
    ),
    [],
    "assistants beside the built-in ones",
  ),
  "agent.scripts": setting(
    list(script(), "scripts, each with match and then, as POST /_emulator/v1/agent/scripts takes them"),
    [],
    "how runs end and what they stream",
  ),
  "agent.project": setting<string | null>(
    text("a project name"),
    null,
    "project for the traces of runs; without one it is named after the assistant",
  ),
  "agent.traces": setting(toggle(), true, "whether runs leave trace rows"),
};
