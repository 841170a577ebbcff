import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CLI, outcomeOf, runAlone, workingFolder } from "../../support/emulator-process.ts";

const BYTES = 10_000_000;

/** Commands that print when the emulator has answered requests: Node opens standard error of the emulator only then. */
const REQUEST = `fetch(process.env.EMULATOR_URL + "/ok").then((reply) => reply.text())`;
const WRITERS = {
  "a program that writes synchronously": `node -e '${REQUEST}' >/dev/null 2>&1; touch writing; head -c ${BYTES} /dev/zero`,
  "a Node program": `touch writing; node -e '${REQUEST}.then(() => process.stdout.write("x".repeat(${BYTES})))'`,
};

/** A reader that begins when the pipe is full. */
const SLOW = "(until test -e writing; do sleep 0.1; done; sleep 0.5; wc -c)";

const STREAMS = {
  "both streams on one slow pipe": `exec_writer 2>&1 | ${SLOW}`,
  "standard output on a slow pipe": `exec_writer 2>errors | ${SLOW}`,
  "both streams in one file": "exec_writer >output 2>&1; wc -c <output",
  "a parent that shares its slow pipe": `node -e 'require("child_process").spawn("sh", ["writer.sh"], { stdio: "inherit" })' 2>&1 | ${SLOW}`,
};

const ARRANGEMENTS = Object.entries(STREAMS).flatMap(([streams, script]) =>
  Object.entries(WRITERS).map(([writer, source]) => ({ writer, source, streams, script })),
);

describe("emulator exec passes 10 MB of output", () => {
  it.each(ARRANGEMENTS)("of $writer, with $streams", async ({ source, script }) => {
    const cwd = workingFolder();
    writeFileSync(join(cwd, "child.sh"), source);
    writeFileSync(join(cwd, "writer.sh"), `exec "${process.execPath}" "${CLI}" exec -- sh child.sh`);
    const shell = spawn("sh", ["-c", `exec_writer() { sh writer.sh; }; ${script}`], { cwd });
    const { stdout, stderr } = await outcomeOf(shell);
    expect({ bytes: Number(stdout), stderr }).toEqual({ bytes: BYTES, stderr: "" });
  });

  it("of a command that --vary runs, whose last lines it reports", async () => {
    const source = `process.stdout.write("x".repeat(${BYTES}) + "\\nthe last line\\n"); process.exitCode = 3`;
    const words = ["exec", "--vary", "--", process.execPath, "-e", source];
    const { stdout } = await runAlone(words, { cwd: workingFolder() });
    expect(stdout).toContain("exit code 3");
    expect(stdout).toContain("the last line");
  });
});
