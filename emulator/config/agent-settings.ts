import {
  type AgentScript,
  readScript,
  SCRIPT,
  type ScriptInput,
  scriptProblem,
} from "../subjects/agent/script.ts";
import { AGENT_GRAPH } from "../subjects/settings.ts";
import { type Kind, list, text, toggle } from "./kinds.ts";
import { setting } from "./setting.ts";

/** Settings of assistants and of scripts that decide how runs end. */
export const AGENT_SETTINGS = {
  "agent.assistants": setting(
    list(AGENT_GRAPH, "assistants: `{ graph_id, like }`; `like` is the name of a built-in assistant"),
    [],
    "assistants in addition to the built-in ones",
  ),
  "agent.scripts": setting(scripts(), [], "how runs end and what they stream"),
  "agent.project": setting<string | null>(
    text("a project name"),
    null,
    "project for the traces of runs; without one it is named after the assistant",
  ),
  "agent.traces": setting(toggle(), true, "whether runs leave trace rows"),
};

function scripts(): Kind<readonly AgentScript[]> {
  const inputs = list(SCRIPT, "scripts: `{ match, then }`, as in POST /_emulator/v1/agent/scripts");
  const read = (value: unknown): readonly ScriptInput[] => inputs.read(value) ?? [];
  return {
    ...inputs,
    problemOf: (value) =>
      read(value).flatMap((input, index) => {
        const problem = scriptProblem(input);
        return problem === undefined ? [] : [`[${index}].${problem}`];
      })[0],
    read: (value) => inputs.read(value)?.map(readScript),
  };
}
