// Runs test files that others wrote for vitest or jest, with the packages of this project.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const VITEST = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));

/** The outcome of each test of a folder by its full name; `config` is a file in this folder. */
export function runVitest({ folder, config, env }) {
  const scratch = mkdtempSync(join(tmpdir(), "peers-"));
  const report = join(scratch, "report.json");
  const words = ["run", "--root", folder, "--config", fileURLToPath(new URL(config, import.meta.url))];
  try {
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [VITEST, ...words, "--reporter=json", `--outputFile=${report}`],
      // Suites start servers of their own where they find CI.
      { env: { ...process.env, ...env, CI: "", PEERS_CACHE: scratch }, encoding: "utf8", maxBuffer: 1 << 28 },
    );
    return resultsIn(report, `${stdout.slice(-2000)}${stderr.slice(-2000)}`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function resultsIn(report, output) {
  let files;
  try {
    files = JSON.parse(readFileSync(report, "utf8")).testResults;
  } catch {
    throw new Error(`vitest left no report:\n${output}`);
  }
  const results = new Map();
  for (const { name, message, assertionResults } of files) {
    if (assertionResults.length === 0) throw new Error(`${name} was not run: ${message}\n${output}`);
    for (const { fullName, status, failureMessages } of assertionResults) {
      const outcome = status === "passed" || status === "failed" ? status : "skipped";
      results.set(fullName, { outcome, message: failureMessages[0] ?? "" });
    }
  }
  return results;
}

const ABSENT = "\0absent:";

/**
 * A plugin that finds packages in this project, and files that a partial copy of a suite lacks where `elsewhere` says.
 * What a suite only uses here and there may be `absent`: exports by package, which throw when they are called.
 */
export function findElsewhere({ elsewhere, absent = {} }) {
  const here = fileURLToPath(import.meta.url);
  return {
    name: "find-elsewhere",
    enforce: "pre",
    async resolveId(id, importer) {
      const options = { skipSelf: true };
      if (importer === undefined || importer === here) return undefined;
      if (absent[id]) return `${ABSENT}${id}`;
      const module = await this.resolve(id, importer, options);
      return module ?? this.resolve(elsewhere(id) ?? id, here, options);
    },
    load(id) {
      if (!id.startsWith(ABSENT)) return undefined;
      const name = id.slice(ABSENT.length);
      const refuse = `function refuse() { throw new Error(${JSON.stringify(`The package ${name} is not here.`)}); }`;
      return `${refuse}\nexport { ${absent[name].map((each) => `refuse as ${each}`).join(", ")} };`;
    },
  };
}
