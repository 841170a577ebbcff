import { optional, text } from "../../../contracts/spec/fields.ts";
import { formatDuration } from "../../kernel/duration.ts";
import { FILTER, LIST_QUERY } from "../control-list.ts";
import { control } from "../control-operation.ts";
import type { Reader } from "../turn.ts";
import { listRuns, listThreads, runDetail } from "./overview.ts";
import { SCRIPT, type ScriptedRun } from "./script.ts";
import {
  activeScripts,
  addScript,
  matchCountOf,
  removeScript,
  SCRIPTS,
  type StoredScript,
} from "./scripts.ts";

/** Control operations that show threads and runs, and those for scripts, which decide how runs go. */
export const AGENT_OPERATIONS = [
  control({
    method: "GET",
    path: "/agent/threads",
    summary: "List the latest threads of all workspaces, the newest at the end.",
    query: { ...LIST_QUERY, status: FILTER },
    run: ({ world }, { query }) => listThreads(world.reader, world.ports.settings, query),
  }),
  control({
    method: "GET",
    path: "/agent/runs",
    summary:
      "List the latest runs of all workspaces or of one thread, the newest at the end. `kind` is the graph.",
    query: { ...LIST_QUERY, thread: optional(text()), status: FILTER, kind: FILTER },
    run: ({ world }, { query }) => listRuns(world.reader, query),
  }),
  control({
    method: "GET",
    path: "/agent/runs/{run_id}",
    summary: "Show one run with its request and the events of its stream so far; secrets are masked.",
    run: ({ world }, { path }) => runDetail(world.reader, (path.run_id ?? "").toLowerCase()),
  }),
  control({
    method: "GET",
    path: "/agent/scripts",
    summary:
      "List the active scripts in the order in which they are tried, with the runs that each has matched.",
    run: ({ world }) =>
      activeScripts(world.reader, world.ports.settings.agent.scripts).map((script) =>
        viewOf(world.reader, script),
      ),
  }),
  control({
    method: "POST",
    path: "/agent/scripts",
    summary:
      "Add a script: `match` selects runs, and `then` defines how they end. It is tried before the existing scripts.",
    body: SCRIPT,
    run: ({ world }, { body }) =>
      viewOf(
        world.reader,
        world.turn({ type: "control", name: "agent.script.add" }, (turn) => addScript(turn, body)),
      ),
  }),
  control({
    method: "DELETE",
    path: "/agent/scripts/{id}",
    summary: "Remove one script.",
    run({ world }, { path }) {
      const id = path.id ?? "";
      world.turn({ type: "control", name: "agent.script.remove", ref: id }, (turn) => removeScript(turn, id));
      return { deleted: id };
    },
  }),
  control({
    method: "DELETE",
    path: "/agent/scripts",
    summary: "Remove all scripts that were added.",
    run({ world }) {
      const ids = [...world.reader.list(SCRIPTS)].map(({ id }) => id);
      world.turn({ type: "control", name: "agent.script.clear" }, (turn) => {
        for (const id of ids) removeScript(turn, id);
      });
      return { deleted: ids };
    },
  }),
] as const;

function viewOf(reader: Reader, { id, match, then, times }: StoredScript) {
  return { id, match, then: thenView(then), times, matches: matchCountOf(reader, id) };
}

/** A script in its input form: ISO 8601 durations, absent members omitted. */
function thenView({ after_ms, events, ...then }: ScriptedRun) {
  const present = Object.entries(then).filter(([, value]) => value !== null && value !== false);
  return {
    ...Object.fromEntries(present),
    ...(then.interrupt && { interrupt: then.interrupt.value }),
    ...(after_ms !== null && { after: formatDuration(after_ms) }),
    ...(events && {
      events: events.map(({ after_ms: pause, node, run_type, ...event }) => ({
        ...event,
        ...(pause > 0 && { after: formatDuration(pause) }),
        ...(node !== null && { node }),
        ...(run_type !== null && { run_type }),
      })),
    }),
  };
}
