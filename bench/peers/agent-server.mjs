// The open-source agent server with the graphs of one file, started as its own command line starts it, its log silent.
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { spawnServer } from "@langchain/langgraph-api";
import { freePort } from "./free-port.mjs";

const [folder, file = "echo-graph.mjs", ...names] = process.argv.slice(2);
const module = relative(folder, fileURLToPath(new URL(file, import.meta.url)));
// The names of its exports; a file with one graph exports it as `graph`.
const graphs =
  names.length > 0 ? names.map((name) => [name, `${module}:${name}`]) : [["echo", `${module}:graph`]];
const port = String(await freePort());
const url = `http://127.0.0.1:${port}`;
// The server prints a banner on the stream used for the ready line.
console.log = () => {};
const child = await spawnServer(
  { host: "127.0.0.1", port, nJobsPerWorker: "10", reload: false },
  {
    config: { graphs: Object.fromEntries(graphs) },
    env: { ...process.env, LOG_LEVEL: "error" },
    hostUrl: url,
  },
  { pid: process.pid, projectCwd: folder },
);
child.once("exit", (code) => process.exit(code ?? 0));
process.once("SIGTERM", () => child.kill("SIGTERM"));
while (!(await answers())) await new Promise((resolve) => setTimeout(resolve, 10));
process.stdout.write(`${JSON.stringify({ url })}\n`);

async function answers() {
  try {
    return (await fetch(`${url}/ok`)).ok;
  } catch {
    return false;
  }
}
