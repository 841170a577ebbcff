// Compares the emulator with the open-source agent server, by the contract suites and by the members of replies:
// `npm run drift`, with the flags of `contract run` after `--`.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CLI, launch, launchEmulator } from "../harness/processes.mjs";
import { compareClients } from "./drift-clients.mjs";
import { shapesOf } from "./shape-requests.mjs";
import { shapeReport } from "./shapes.mjs";

const [subject, ...options] = process.argv.slice(2);
if (subject === "clients") {
  await compareClients({ isSaved: options.includes("--save") });
  process.exit();
}

const HERE = fileURLToPath(new URL("./", import.meta.url));
const SERVER = "@langchain/langgraph-api";
const DRIFT = 3;

if (!existsSync(join(HERE, "node_modules", SERVER))) {
  process.stderr.write("First: npm run bench:peers\n");
  process.exit(1);
}
const folder = await mkdtemp(join(tmpdir(), "emulator-drift-"));
const peer = await launch(join(HERE, "agent-server.mjs"), [folder, "talk-graph.mjs"]);
try {
  const { url } = JSON.parse(peer.line);
  process.stderr.write(
    `${SERVER} ${versionOf(SERVER)}, @langchain/langgraph ${versionOf("@langchain/langgraph")}: ${url}\n`,
  );
  const code = await contract("--compare", url, ...process.argv.slice(2));
  // Differences are the expected result.
  const areAlike = await compareShapes();
  process.exitCode = code !== DRIFT && code !== 0 ? code : Number(!areAlike);
} finally {
  await peer.stop();
  await rm(folder, { recursive: true, force: true });
}

async function compareShapes() {
  const graphs = ["echo", "interrupting", "failing"];
  const shapePeer = await launch(join(HERE, "agent-server.mjs"), [folder, "shape-graphs.mjs", ...graphs]);
  const emulator = await launchEmulator(["--profile", "observed"]);
  try {
    const { url } = JSON.parse(shapePeer.line);
    const { ok, lines } = shapeReport(await shapesOf(url), await shapesOf(emulator.url));
    process.stderr.write(`${lines.join("\n")}\n`);
    return ok;
  } finally {
    await emulator.stop();
    await shapePeer.stop();
  }
}

function versionOf(name) {
  return JSON.parse(readFileSync(join(HERE, "node_modules", name, "package.json"), "utf8")).version;
}

function contract(...args) {
  const child = spawn(process.execPath, [CLI, "contract", "run", ...args], { stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
}
