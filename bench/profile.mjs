// `npm run profile -- <bench>`: a CPU profile of the emulator while it does what a bench asks for, and its top functions.
import { readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { profileInto } from "./harness/processes.mjs";
import { measure } from "./harness/rounds.mjs";
import { topFunctions } from "./harness/top-functions.mjs";

/** The benches that can be profiled: those whose sides are emulators in processes of their own. */
const PROFILED = [
  "start",
  "listing",
  "threads",
  "ingest",
  "multipart",
  "generate",
  "export",
  "verify",
  "year",
  "s3",
];
const SHOWN = 30;

const [name, rounds = "3", ...more] = process.argv.slice(2);
if (!PROFILED.includes(name) || !/^[1-9]\d*$/.test(rounds) || more.length > 0) {
  console.error(`profile: give one of ${PROFILED.join(", ")}, and how many rounds if not 3`);
  process.exit(2);
}
const folder = fileURLToPath(new URL(`results/profile-${name}`, import.meta.url));
rmSync(folder, { recursive: true, force: true });
profileInto(folder);
const { figures } = await import(`./figures/${name}.mjs`);
for (const figure of figures) {
  const [side] = figure.sides;
  if (figure.figure.startsWith("exec")) continue;
  const seen = new Set(readdirSync(folder));
  await measure({ ...figure, sides: [side], needs: {}, targets: [] }, { rounds: Number(rounds) });
  const fresh = readdirSync(folder).filter((file) => !seen.has(file));
  const largest = fresh.toSorted(
    (a, b) => statSync(join(folder, b)).size - statSync(join(folder, a)).size,
  )[0];
  const file = join(folder, `${figure.figure.replaceAll(/[^a-z0-9]+/gi, "-")}.cpuprofile`);
  for (const other of fresh) if (other !== largest) rmSync(join(folder, other));
  renameSync(join(folder, largest), file);
  console.log(`\n${figure.figure}: ${file}`);
  for (const line of topFunctions(JSON.parse(readFileSync(file, "utf8")), SHOWN)) console.log(line);
}
