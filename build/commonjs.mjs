import { mkdir, writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";

/** In Jest, the `require` of Node is reachable only from the main context. That of Jest loads no ES modules. */
const JEST = `const { getBuiltinModule } = require("node:vm").runInThisContext("process");
const load = getBuiltinModule("node:module").createRequire(__filename);
module.exports = load("../emulator/entries/fixtures/jest-fixtures.mjs").jestFixtures(require("@jest/globals"));
`;

/** One file per entry point for `require`, which loads the ES module: TypeScript wants a CommonJS file for that condition. */
export async function writeCommonJs(folder, exports) {
  await mkdir(join(folder, "cjs"), { recursive: true });
  const entries = Object.values(exports).filter((entry) => typeof entry === "object");
  await Promise.all(
    entries.map((entry) => {
      const module = relative("./dist/cjs", entry.import.default);
      const file = join(folder, "cjs", basename(entry.require.default));
      const text =
        basename(file) === "jest.cjs" ? JEST : `module.exports = require(${JSON.stringify(module)});\n`;
      return writeFile(file, text);
    }),
  );
}

/** The file of the command line, with the oldest version of Node that can run the rest. Every Node can read its syntax. */
export function startFile(oldest, file) {
  const [major, minor] = oldest.split(".");
  return `#!/usr/bin/env node
var version = process.versions.node;
var parts = version.split(".").map(Number);
if (parts[0] < ${major} || (parts[0] === ${major} && parts[1] < ${minor})) {
  var message = "needs Node ${oldest} or newer; this is " + version;
  var hint = "install a newer Node, such as the one of https://nodejs.org, and run the command again";
  var words = process.argv.concat("--");
  var isJson = words.slice(0, words.indexOf("--")).indexOf("--json") > 0 || /^(true|1|on)$/.test(process.env.EMULATOR_JSON);
  if (!isJson) console.error("emulator: " + message + "; " + hint);
  else console.log(JSON.stringify({ error: { code: "old_node", message: message, hint: hint } }));
  process.exitCode = 2;
} else require(${JSON.stringify(file)});
`;
}
