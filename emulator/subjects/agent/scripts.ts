import { invalidRequest, Refusal } from "../../kernel/refusal.ts";
import { collection } from "../../kernel/table.ts";
import type { Reader, Turn } from "../turn.ts";
import { type AgentScript, readScript, type ScriptedRun, type ScriptInput, scriptProblem } from "./script.ts";

/** A script added through the control API; scripts of the configuration are not stored. */
export interface StoredScript extends AgentScript {
  readonly id: string;
}

export const SCRIPTS = collection<StoredScript>("agent_scripts", (script) => script.id);

/** Number of runs that have matched a script, whether or not it was applied. */
export const SCRIPT_MATCHES = collection<{ readonly id: string; readonly matches: number }>(
  "agent_script_matches",
  (entry) => entry.id,
);

/** The run that scripts are matched against, before its creation. */
export interface ScriptSubject {
  readonly assistant_id: string;
  readonly graph_id: string;
  readonly thread_id: string;
}

/** Active scripts in order of precedence: added ones, newest first, then those of the configuration. */
export function activeScripts(reader: Reader, configured: readonly AgentScript[]): readonly StoredScript[] {
  const scripts = [...reader.list(SCRIPTS)].reverse();
  return [...scripts, ...configured.map((script, index) => ({ ...script, id: `configured-${index + 1}` }))];
}

/** Returns the script that applies to this run and increments the match counts of the scripts tried. */
export function consumeScript(turn: Turn, subject: ScriptSubject): ScriptedRun | null {
  for (const script of activeScripts(turn, turn.ports.settings.agent.scripts)) {
    if (!matches(script, subject)) continue;
    const matched = matchCountOf(turn, script.id) + 1;
    turn.put(SCRIPT_MATCHES, { id: script.id, matches: matched });
    const first = script.match.nth ?? 1;
    if (matched >= first && (script.times === null || matched < first + script.times)) return script.then;
  }
  return null;
}

export function matchCountOf(reader: Reader, id: string): number {
  return reader.get(SCRIPT_MATCHES, id)?.matches ?? 0;
}

/** Adds a script with the highest precedence. Throws a `Refusal` (422). */
export function addScript(turn: Turn, input: ScriptInput): StoredScript {
  const problem = scriptProblem(input);
  if (problem !== undefined) throw invalidRequest(`body.${problem}`);
  const limit = turn.ports.settings.limits.agent_scripts;
  if (turn.count(SCRIPTS) >= limit)
    throw new Refusal(
      422,
      "too_many_scripts",
      `${limit} scripts are active, the maximum.`,
      "Delete some, or raise limits.agent_scripts.",
    );
  const script = { id: turn.nextId("agent_script"), ...readScript(input) };
  turn.put(SCRIPTS, script);
  return script;
}

export function removeScript(turn: Turn, id: string): void {
  if (!turn.get(SCRIPTS, id)) throw new Refusal(404, "not_found", `No script ${id} in this world.`);
  turn.remove(SCRIPTS, id);
  turn.remove(SCRIPT_MATCHES, id);
}

function matches({ match }: AgentScript, { assistant_id, graph_id, thread_id }: ScriptSubject): boolean {
  const assistantId = match.assistant_id;
  if (
    assistantId !== undefined &&
    assistantId !== "*" &&
    assistantId !== graph_id &&
    assistantId.toLowerCase() !== assistant_id
  )
    return false;
  return match.thread_id === undefined || match.thread_id === "*" || match.thread_id === thread_id;
}
