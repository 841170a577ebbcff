// Runs the parts of the soak, two at a time, and prints their figures: `npm run soak -- [minutes] [--short] [--seed n] [part …]`.
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const BUILT = join(ROOT, "dist/soak");
const SHORT_SECONDS = 50;
const DEFAULT_MINUTES = 15;
const LANES = 2;
/** How long a part may run after its time. */
const GRACE_SECONDS = 120;

/**
 * Shares of the time; a part without one has 1. By these 15 minutes on two cores make 1,000 kills, 1,000,000 requests and 10,000
 * simulated worlds, and some more.
 */
const SHARES = { kill: 12, fuzz: 4, simulation: 3, bodies: 3, forks: 2 };

/** What a name on the command line stands for, and what else it says. */
function readWords(words) {
  const options = { seconds: DEFAULT_MINUTES * 60, seed: 1 + Math.floor(Math.random() * 1e6), parts: [] };
  const names = partNames();
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === "--short") options.seconds = SHORT_SECONDS;
    else if (word === "--seed") options.seed = Number(words[++at]);
    else if (Number(word) > 0) options.seconds = Number(word) * 60;
    else if (names.includes(word)) options.parts.push(word);
    else throw new Error(`${word}: give minutes, --short, --seed <n> or parts (${names.join(", ")})`);
  }
  if (!Number.isSafeInteger(options.seed)) throw new Error("--seed takes a whole number");
  return { ...options, parts: options.parts.length > 0 ? options.parts : names };
}

function partNames() {
  return readdirSync(join(ROOT, "test/soak/parts")).map((name) => name.replace(/\.ts$/, ""));
}

async function buildParts(names) {
  await build({
    absWorkingDir: ROOT,
    entryPoints: names.map((name) => `test/soak/parts/${name}.ts`),
    outdir: BUILT,
    bundle: true,
    platform: "node",
    target: "node20.19",
    format: "esm",
    packages: "external",
    logLevel: "warning",
  });
}

/** The longest first; each lane takes the next one that nobody has begun. */
async function runAll({ parts, seconds, seed }) {
  const shareOf = (name) => SHARES[name] ?? 1;
  const all = parts.reduce((sum, name) => sum + shareOf(name), 0);
  const longest = parts.toSorted((a, b) => shareOf(b) - shareOf(a));
  const lanes = Math.min(LANES, parts.length);
  const results = [];
  const lane = async () => {
    for (let name = longest.shift(); name !== undefined; name = longest.shift())
      results.push(await runPart(name, Math.max(2, (seconds * lanes * shareOf(name)) / all), seed));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}

/** A part prints its result in its last line. No result, or no work, is a finding. */
function runPart(name, seconds, seed) {
  const began = performance.now();
  const child = spawn(process.execPath, [join(BUILT, `${name}.js`), String(seconds), String(seed)], {
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  const timer = setTimeout(endGroup, (seconds + GRACE_SECONDS) * 1000, child.pid);
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece) => {
    text += piece;
  });
  return new Promise((resolve) => {
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      endGroup(child.pid);
      const took = Math.round((performance.now() - began) / 1000);
      resolve({ name, seed, took, ...outcomeIn(text, code ?? signal) });
    });
  });
}

/** A part, and emulators that it did not end. */
function endGroup(pid) {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // All of them have ended.
  }
}

function outcomeIn(text, ended) {
  let outcome = { counts: {}, findings: [] };
  try {
    outcome = JSON.parse(text.trimEnd().split("\n").at(-1));
  } catch {
    outcome.findings.push(`it ended with ${ended} and said nothing: ${text.slice(-500)}`);
  }
  for (const [what, count] of Object.entries(outcome.counts))
    if (count === 0) outcome.findings.push(`no ${what}: it did nothing`);
  return outcome;
}

function print(results) {
  console.log(`Node ${process.version}, ${process.platform} ${process.arch}`);
  console.log("| part | done | findings | seconds | seed |\n|---|---|---|---|---|");
  for (const { name, counts, findings, took, seed } of results) {
    const done = Object.entries(counts).map(([what, count]) => `${count.toLocaleString("en")} ${what}`);
    console.log(`| ${name} | ${done.join(", ")} | ${findings.length} | ${took} | ${seed} |`);
  }
  for (const { name, findings, seed } of results)
    for (const finding of findings)
      console.log(`\n${name}: ${finding}\n  again: npm run soak -- --seed ${seed} ${name}`);
}

try {
  const options = readWords(process.argv.slice(2));
  await buildParts(options.parts);
  const results = await runAll(options);
  print(results);
  process.exitCode = results.some(({ findings }) => findings.length > 0) ? 1 : 0;
} catch (error) {
  console.error(`soak: ${error.message}`);
  process.exitCode = 2;
}
