// The API tests of the open-source agent server (langgraphjs, libs/langgraph-api/tests/api.test.mts).

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runVitest } from "./vitest-suite.mjs";

/** The graphs that the suite names, and the scripted assistants that come closest to them. */
const GRAPHS = {
  nested: "agent",
  dynamic: "agent",
  agent_simple: "agent",
  weather: "interrupting",
  error: "failing",
  delay: "slow",
  simple_runtime: "echo",
  state_schema_graph: "echo",
  zod_registry_graph: "echo",
  plain_zod_graph: "echo",
};

/** Flags of the emulator. */
export function flags(scratch) {
  const path = join(scratch, "agent.json");
  const assistants = Object.entries(GRAPHS).map(([graph_id, like]) => ({ graph_id, like }));
  writeFileSync(path, JSON.stringify({ agent: { assistants } }));
  return ["--config", path, "--rate-limits", "off"];
}

export function run({ folder, emulator }) {
  return runVitest({ folder, config: "agent.config.mjs", env: { API_URL: emulator.url } });
}
