import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FAULT_PLANES, FAULT_POINT_NAMES, FAULT_PRESETS } from "../../contracts/spec/faults.ts";
import { CONTROL_OPERATIONS } from "../../emulator/control/gateway.ts";
import { run, workingFolder } from "../support/emulator-process.ts";
import { PAGES, ROOT, readPage } from "./markdown.ts";

/** What stands between backticks at the beginning of the rows of a page's tables. */
function rowsOf(page: string): readonly string[] {
  return [...readPage(page).matchAll(/^\| `([^`]+)`/gm)].map(([, cell = ""]) => cell);
}

describe("the tables of the pages are complete", () => {
  it("docs/look-up/control-api.md has every operation, and no other", () => {
    const versioned = CONTROL_OPERATIONS.filter(({ unversioned }) => !unversioned);
    expect([...rowsOf("docs/look-up/control-api.md")].sort()).toEqual(
      versioned.map(({ method, path }) => `${method} ${path}`).sort(),
    );
  });

  it("docs/understand/faults.md has every plane, point and preset, and no other", () => {
    const names = [FAULT_PLANES, FAULT_PRESETS].flatMap((table) => Object.keys(table));
    expect([...rowsOf("docs/understand/faults.md")].sort()).toEqual([...names, ...FAULT_POINT_NAMES].sort());
  });

  it.each(Object.entries(FAULT_PLANES))(
    "docs/understand/faults.md has every member of a fault on %s",
    (plane, row) => {
      const line =
        readPage("docs/understand/faults.md")
          .split("\n")
          .find((text) => text.startsWith(`| \`${plane}\``)) ?? "";
      for (const name of [...Object.keys(row.match), ...Object.keys(row.then)])
        expect(line).toContain(`\`${name}\``);
    },
  );

  it("docs/understand/command-line.md has every command and every exit code", async () => {
    const { stdout } = await run(["--help"], { cwd: workingFolder() });
    const commands = [...stdout.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = ""]) => name);
    const text = readPage("docs/understand/command-line.md");
    const table = text
      .split("\n")
      .filter((line) => line.startsWith("| `emulator`") || /^\| `emulator /.test(line));
    expect(commands.length).toBeGreaterThan(10);
    for (const command of commands)
      expect(table.join("\n")).toMatch(new RegExp(`\`(emulator )?${command}\\b`));
    const codes = [...(/^Exit codes: .*$/m.exec(stdout)?.[0] ?? "").matchAll(/\b(\d) /g)].map(
      ([, code]) => code,
    );
    expect([...text.matchAll(/^\| (\d) \|/gm)].map(([, code]) => code)).toEqual(codes);
  });
});

it("the pages count the scenarios right", () => {
  const text = PAGES.map(readPage).join("\n");
  const scenarios = readdirSync(join(ROOT, "scenarios/shipped")).filter((name) =>
    name.endsWith(".scenario.yaml"),
  );
  const counted = new Set([...text.matchAll(/\b(\d+)\s+scenarios\b/g)].map(([, count]) => Number(count)));
  expect(counted).toEqual(new Set([scenarios.length]));
});
