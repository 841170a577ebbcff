import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import type { AnyCommand, NamedCommand } from "../../bin/command.ts";
import { calledCommand, readCommandLine } from "../../bin/command-line.ts";
import { COMMANDS } from "../../bin/commands.ts";
import { ERROR_CODES } from "../../bin/error-codes.ts";
import { EXAMPLES } from "../../bin/examples.ts";
import { commandHelp, groupHelp } from "../../bin/help.ts";
import { run } from "../support/command-line.ts";
import { workingFolder } from "../support/emulator-process.ts";
import { openVerbs } from "../support/verbs.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const commands: Record<string, AnyCommand> = {};
beforeAll(async () => {
  for (const [name, load] of Object.entries(COMMANDS)) commands[name] = (await load()).command;
});

/** Words as a shell makes them; the examples have no other quotes. */
const wordsOf = (line: string) => (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ""));

function calledBy(line: string): NamedCommand {
  const [name = "", ...words] = wordsOf(line);
  const entry = commands[name];
  if (entry === undefined) throw new Error(`${name} is not a command`);
  const called = calledCommand(name, entry, words);
  if ("group" in called) throw new Error(`${line} shows help`);
  readCommandLine(called, called.words, {}, "/");
  return called;
}

describe("the help", () => {
  it("of every command has two examples of it that can be parsed, and a page that exists", () => {
    expect(Object.keys(EXAMPLES).sort()).toEqual(Object.keys(commands).sort());
    for (const [name, entry] of Object.entries(commands)) {
      const actions = "actions" in entry ? Object.keys(entry.actions) : [""];
      const { page = "", lines = {} } = EXAMPLES[name] ?? {};
      expect([name, Object.keys(lines)]).toEqual([name, actions]);
      expect([page, existsSync(join(ROOT, "docs", page))]).toEqual([page, true]);
      for (const [action, examples] of Object.entries(lines)) {
        const fullName = action === "" ? name : `${name} ${action}`;
        for (const line of examples) expect([line, calledBy(line).name]).toEqual([line, fullName]);
        const help = commandHelp(calledBy(examples[0]));
        for (const line of [...examples.map((each) => `emulator ${each}`), `docs/${page}`])
          expect(help).toContain(line);
      }
      if ("actions" in entry)
        expect(groupHelp(name, entry)).toMatch(/Examples:\n {2}emulator .*\n[\s\S]*docs\//);
    }
  });

  it("has examples that run, where they need no file and no id", async () => {
    const verbs = await openVerbs();
    const NEEDS_MORE =
      /0190a6c0|file|\.(json|har|snapshot|ndjson|parquet)|scenarios|webhooks tail|--follow|clock until/;
    const groups = [
      "traces",
      "export",
      "clock",
      "fault",
      "limits",
      "world",
      "snapshot",
      "webhooks",
      "status",
      "logs",
    ];
    const lines = groups.flatMap((group) => Object.values(EXAMPLES[group]?.lines ?? {})).flat();
    const runnable = lines.filter(
      (line) => !NEEDS_MORE.test(line) && !line.includes(" rm ") && !line.includes("before --from"),
    );
    expect(runnable.length).toBeGreaterThan(30);
    for (const line of runnable) await verbs.lines(...wordsOf(line));
  });

  it("is also printed by `help`, for a command, a group and an error code", async () => {
    const cwd = workingFolder();
    const stdoutOf = async (...words: string[]) => (await run(words, { cwd })).stdout;
    expect(await stdoutOf("help", "export", "create")).toBe(await stdoutOf("export", "create", "--help"));
    expect(await stdoutOf("help", "export")).toBe(await stdoutOf("export", "--help"));
    expect(await stdoutOf("help")).toBe(await stdoutOf("--help"));
    expect(await stdoutOf("help", "rate_limited")).toContain("Next step: Wait for Retry-After");
    expect(await stdoutOf("help", "exec")).not.toContain("late-row");
    const reset = await stdoutOf("help", "reset");
    expect(reset).toContain(await stdoutOf("reset", "--help"));
    expect(reset).toContain(
      "There is also an error code of this name, in replies of the emulator:\n\nreset: The world was reset",
    );
    expect(await run(["help", "rate_limted"], { cwd })).toEqual({
      code: 2,
      stdout: "",
      stderr:
        'emulator: help: "rate_limted" is neither a command nor an error code; did you mean rate_limited?\n',
    });
  });

  it.each([
    ["stat", "status"],
    ["verify", "verify-export"],
    ["hel", "help"],
    ["exprt", "export"],
  ])("suggests for %s the closest command, %s", async (word, command) => {
    const { stderr } = await run([word], { cwd: workingFolder() });
    expect(stderr).toBe(`emulator: ${word}: unknown command; did you mean ${command}?\n`);
  });
});

it("every error code of the emulator is explained", () => {
  const files = readdirSync(join(ROOT, "emulator"), { recursive: true, encoding: "utf8" });
  const texts = files
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(ROOT, "emulator", name), "utf8"));
  const codes = texts.flatMap((text) =>
    [
      ...text.matchAll(/(?:new Refusal\(\s*\d+,|code:|wordAt\(|patternOf\(|unknownWord\()\s*"([a-z_]+)"/g),
    ].map(([, code]) => code ?? ""),
  );
  expect(codes.length).toBeGreaterThan(100);
  expect([...new Set(codes)].filter((code) => !Object.hasOwn(ERROR_CODES, code))).toEqual([]);
});

it("the documentation of status has all members that it prints", async () => {
  const verbs = await openVerbs();
  const page = readFileSync(join(ROOT, "docs/understand/command-line.md"), "utf8");
  const section = page.split("## The status\n")[1]?.split("\n## ")[0] ?? "";
  const names = Object.keys(await verbs.json<object>("status"));
  expect(names.filter((name) => !section.includes(`\`${name}\``))).toEqual(["ready"]);
});

it("an empty list is reported on standard error, and is [] as JSON", async () => {
  const verbs = await openVerbs();
  for (const words of ["export list", "fault list", "snapshot list", "webhooks list", "traces query"]) {
    expect(await verbs.run(...words.split(" "))).toEqual({
      code: 0,
      stdout: "",
      stderr: "The list is empty.\n",
    });
    expect(await verbs.json(...words.split(" "))).toEqual([]);
  }
});

it("an unknown flag is not taken for --help, and the name of an unknown world is shown without escapes", async () => {
  const verbs = await openVerbs();
  expect((await verbs.run("env", "--shell")).stderr).toBe(
    "emulator: --shell: unknown flag; see `emulator env --help`\n",
  );
  expect((await verbs.run("status", "--world", "a b")).stderr).toContain("The world a b does not exist.");
});

it("status is a table without JSON", async () => {
  const verbs = await openVerbs();
  const lines = await verbs.lines("status");
  expect(lines.join("\n")).not.toMatch(/[{}[\]"]/);
  expect(lines).toContainEqual(expect.stringMatching(/^clock\.mode +frozen$/));
});
