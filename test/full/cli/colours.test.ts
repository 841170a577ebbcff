import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { workingFolder } from "../../support/emulator-process.ts";
import { endTerminals, runOnTerminal } from "../../support/terminal.ts";

afterEach(endTerminals);

const GREEN_OK = "\u001b[32mok ";
const RED_FAILED = "\u001b[31mFAILED ";

it.each([
  ["has a colour on a terminal", {}, true],
  ["has none with NO_COLOR", { NO_COLOR: "1" }, false],
])("the outcome of a scenario %s", async (_, env, isColoured) => {
  const cwd = workingFolder();
  for (const [name, status] of [
    ["a", 200],
    ["b", 201],
  ])
    writeFileSync(
      join(cwd, `${name}.scenario.yaml`),
      `scenario: A status.\nwhen:\n  - request: GET /ok\n    expect: { status: ${status} }\n`,
    );
  const output = await runOnTerminal(["replay", "."], { cwd, env }).shows(/2 scenarios: /);
  expect([output.includes(GREEN_OK), output.includes(RED_FAILED)]).toEqual([isColoured, isColoured]);
});
