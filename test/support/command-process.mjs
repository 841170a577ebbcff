// Runs command lines of the build, one after the other, in this one process; `emulator-process.ts` sends them.

import { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { runCommandLine } from "../../dist/bin/main.mjs";

const CLI = fileURLToPath(new URL("../../dist/bin/emulator.js", import.meta.url));

let written = { stdout: [], stderr: [] };
for (const name of ["stdout", "stderr"]) Object.defineProperty(process, name, { value: kept(name) });
// Each command listens for signals as if the process were its own.
process.setMaxListeners(0);

process.on("message", async ({ words, cwd, env }) => {
  process.chdir(cwd);
  process.env = env;
  process.argv = [process.execPath, CLI, ...words];
  await runCommandLine();
  const { stdout, stderr } = written;
  process.send({ code: process.exitCode, stdout: textOf(stdout), stderr: textOf(stderr) });
  process.exitCode = undefined;
  written = { stdout: [], stderr: [] };
  // The folder of a test is removed after it.
  process.chdir("/");
});
process.on("disconnect", () => process.exit());

/** A standard stream that is kept for the answer. */
function kept(name) {
  return new Writable({
    write(piece, _, done) {
      written[name].push(piece);
      done();
    },
  });
}

function textOf(pieces) {
  return Buffer.concat(pieces).toString("utf8");
}
