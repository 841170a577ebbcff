import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMON_FLAGS, type Command, type Flags } from "../../bin/command.ts";
import { readCommandLine } from "../../bin/command-line.ts";
import { COMMANDS } from "../../bin/commands.ts";
import { type Emulator, startEmulator } from "../../emulator/runtime/index.ts";
import { rememberListeners } from "../support/command-line.ts";
import { workingFolder } from "../support/emulator-process.ts";

interface Verb {
  /** For example `export create`. */
  readonly name: string;
  readonly command: Command;
}

/** Every command and action of the table. */
const VERBS: readonly Verb[] = (
  await Promise.all(
    Object.entries(COMMANDS).map(async ([name, load]) => {
      const { command } = await load();
      if (!("actions" in command)) return [{ name, command }];
      return Object.entries(command.actions).map(([action, each]) => ({
        name: `${name} ${action}`,
        command: each,
      }));
    }),
  )
).flat();

const ABSENT = "00000000-0000-4000-8000-000000000000";

/** Operands that can be read, by their placeholders; an id is that of nothing. */
const OPERANDS: Readonly<Record<string, string>> = {
  "<duration>": "1h",
  "<time or export id>": ABSENT,
  "<bucket/key>": "traces/absent",
  "<bucket[/prefix]>": "absent/prefix",
};

/** The same where a placeholder says less. */
const OWN_OPERANDS: Readonly<Record<string, readonly string[]>> = {
  "fault arm": ["worker_crash"],
  "completion values": ["exports"],
  "fault rm": [ABSENT],
  "traces send": [fileURLToPath(new URL("../../fixtures/traces/single-runs.ndjson", import.meta.url))],
};

/** Flags without which a verb does nothing. */
const NEEDED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "export create": { project: "absent", from: "2026-03-01", to: "2026-03-02" },
  record: { har: "absent/seen.har" },
};

/** Values that no flag with this placeholder can have. */
const UNREADABLE: readonly (readonly [placeholder: RegExp, value: string])[] = [
  [/^<duration>$/, "soon"],
  [/^<time>$/, "soon"],
  [/^<n>$/, "many"],
  [/^<seconds>$/, "many"],
  [/^<i\/n>$/, "3/2"],
  [/^<turn>$/, "last"],
  [/^[\w-]+(\|[\w-]+)+$/, "nonsense"],
];

function operandsOf({ name, command }: Verb): readonly string[] {
  const own = OWN_OPERANDS[name];
  if (own !== undefined) return own;
  return command.operands
    .filter((operand) => !operand.startsWith("["))
    .map((operand) => OPERANDS[operand] ?? ABSENT);
}

/** Runs a verb in this process, as the command line does; gives what it throws. */
async function failureOf(verb: Verb, flags: Readonly<Record<string, string>>, cwd: string): Promise<Error> {
  const values = { ...NEEDED[verb.name], ...flags };
  const words = Object.entries(values).map(([flag, value]) => `--${flag}=${value}`);
  const removeListeners = rememberListeners();
  try {
    const invocation = readCommandLine(verb, [...words, ...operandsOf(verb)], {}, cwd);
    const code = await verb.command.run(invocation);
    return new Error(`it ended with ${code}`);
  } catch (error) {
    return error as Error;
  } finally {
    removeListeners();
  }
}

/** One line that begins with what is wrong; exit code 2. */
function expectUsage(error: unknown, words: string): void {
  expect(error).toMatchObject({ name: "UsageError", message: expect.stringContaining(words) });
  expect((error as Error).message).not.toContain("\n");
}

const thrownBy = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (error) {
    return error;
  }
};

const valueFlags = ({ command }: Verb): readonly [string, Flags[string]][] =>
  Object.entries({ ...command.flags, ...COMMON_FLAGS }).filter(([, { value }]) => value !== undefined);

describe.each(VERBS.map((verb) => [verb.name, verb] as const))("emulator %s", (_, verb) => {
  it("refuses flags that it does not know, and values that are missing", () => {
    const read = (...words: string[]) =>
      thrownBy(() => readCommandLine(verb, [...words, ...operandsOf(verb)], {}, "."));
    expectUsage(read("--nonsense"), "--nonsense: unknown flag");
    expectUsage(read("--json=yes"), "--json: it takes no value");
    for (const [flag, { words }] of valueFlags(verb)) {
      expectUsage(read(`--${flag}=`), `--${flag}: the value is missing`);
      if (words === undefined) expectUsage(read(`--${flag}`, "--json"), `--${flag}: the value is missing`);
    }
  });

  it("refuses operands that are missing or too many", () => {
    const { operands } = verb.command;
    if (operands[0]?.startsWith("<"))
      expectUsage(
        thrownBy(() => readCommandLine(verb, [], {}, ".")),
        `${operands[0]} is missing`,
      );
    if (operands.some((operand) => operand.includes("…"))) return;
    const surplus = [...operands.map((operand) => OPERANDS[operand] ?? ABSENT), "surplus"];
    expectUsage(
      thrownBy(() => readCommandLine(verb, surplus, {}, ".")),
      "surplus: not expected",
    );
  });

  it("refuses invalid values before it looks for an emulator, and writes nothing", async () => {
    const cwd = workingFolder();
    for (const [flag, { value = "" }] of valueFlags(verb)) {
      const bad = UNREADABLE.find(([placeholder]) => placeholder.test(value))?.[1];
      if (bad !== undefined) expectUsage(await failureOf(verb, { [flag]: bad }, cwd), `--${flag}`);
    }
    if ("url" in verb.command.flags) expectUsage(await failureOf(verb, { url: "here" }, cwd), "--url");
    expect(readdirSync(cwd)).toEqual([]);
  });
});

/** Their operand may be anything that is not there yet; `doctor` finds out, and `wait` waits. */
const FREE = new Set([
  "snapshot save",
  "clock advance",
  "traces send",
  "fault arm",
  "completion values",
  "doctor",
  "wait",
  "stop",
  "webhooks check",
]);

describe("verbs on a running emulator", () => {
  const verbs = VERBS.filter(({ name, command }) => "url" in command.flags && !FREE.has(name));

  it.each(verbs.map((verb) => [verb.name, verb] as const))("%s says that none runs", async (_, verb) => {
    const cwd = workingFolder();
    const error = await failureOf(verb, {}, cwd);
    expect(error).toMatchObject({ name: "Unreachable" });
    expect(error.message).toMatch(/^no running emulator found in \/.*; start one with `emulator start`, .*$/);
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe("commands for unknown objects", () => {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await startEmulator({ clock: "frozen" });
  });
  afterAll(() => emulator.close());

  const about = VERBS.filter((verb) => "url" in verb.command.flags && !FREE.has(verb.name)).filter(
    (verb) => operandsOf(verb).length > 0 || NEEDED[verb.name] !== undefined,
  );

  it.each(about.map((verb) => [verb.name, verb] as const))(
    "%s is refused, and changes nothing",
    async (_, verb) => {
      const cwd = workingFolder();
      const turns = async () =>
        (await emulator.control("GET", "/journal")).filter(
          ({ put, removed, scheduled, effects }) => put || removed || scheduled || effects,
        );
      const before = await turns();
      const error = await failureOf(verb, { url: emulator.url }, cwd);
      expect(["UsageError", "ErrorReply", "CommandFailure"]).toContain(error.name);
      expect(error.message).not.toContain("\n");
      expect(await turns()).toEqual(before);
      expect(readdirSync(cwd)).toEqual([]);
    },
  );
});
