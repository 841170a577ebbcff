// Runs a checkout of a suite that others wrote against the built emulator, and compares by test name with the results
// that are expected here: `npm run peers -- s3-tests|agent|tracing <folder>`. Ends with 1 where they differ.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startEmulator } from "../support/start-emulator.mjs";

const SUITES = ["s3-tests", "agent", "tracing"];

const [suite, folder] = process.argv.slice(2);
if (!SUITES.includes(suite) || folder === undefined) {
  process.stderr.write(`Usage: npm run peers -- ${SUITES.join("|")} <folder of its checkout>\n`);
  process.exit(2);
}

const expected = JSON.parse(readFileSync(new URL(`${suite}.json`, import.meta.url), "utf8"));
const { run, flags } = await import(`./${suite}.mjs`);
const scratch = mkdtempSync(join(tmpdir(), "peers-"));
const emulator = await startEmulator(flags?.(scratch));
try {
  const scope = expected.outside.map(({ names, reason }) => ({ pattern: new RegExp(names), reason }));
  const inScope = (name) => !scope.some(({ pattern }) => pattern.test(name));
  const results = await run({ folder: resolve(folder), emulator: emulator.ready, inScope });
  process.exitCode = report(results, expected);
} finally {
  await emulator.stop();
  rmSync(scratch, { recursive: true, force: true });
}

/** Prints what differs from the expected results; 1 if anything does. What `varies` depends on the client's version. */
function report(results, { failures, varies = {} }) {
  const differences = [];
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const [name, { outcome, message }] of results) {
    counts[outcome] += 1;
    const reason = failures[name];
    if (outcome === "failed" && reason === undefined && varies[name] === undefined)
      differences.push(`fails: ${name}\n    ${firstLine(message)}`);
    if (outcome === "passed" && reason !== undefined)
      differences.push(`passes, though expected to fail: ${name}\n    ${reason}`);
  }
  for (const name of Object.keys(failures))
    if (!results.has(name)) differences.push(`is no longer in the suite: ${name}`);
  for (const difference of differences) process.stdout.write(`${difference}\n`);
  process.stdout.write(
    `${counts.passed} passed, ${counts.failed} failed (${Object.keys(failures).length} expected), ${counts.skipped} skipped\n`,
  );
  return differences.length > 0 ? 1 : 0;
}

function firstLine(message) {
  return message.split("\n", 1)[0].slice(0, 300);
}
