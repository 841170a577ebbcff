import { formatInstant } from "../../kernel/instant.ts";
import type { PerformedAction } from "./actions.ts";
import { asStep, asTypeScript, controlPathOf, isArming } from "./copies.ts";
import type { Look } from "./looks.ts";

/** What a test repeats and compares. */
export interface RecordedTest {
  readonly title: string;
  /** That of the world, so that the ids are the same. */
  readonly seed: number;
  readonly actions: readonly PerformedAction[];
  readonly looks: readonly Look[];
}

/** The forms in which the tray is saved: the name of the file, and its text. */
export const TEST_FORMS: Readonly<
  Record<string, readonly [file: string, textOf: (test: RecordedTest) => string]>
> = {
  scenario: ["console.scenario.yaml", asScenario],
  "vitest file": ["console.test.ts", asVitest],
  "pytest file": ["test_console.py", asPytest],
};

/** The actions, each followed by the looks after it, as lines. */
function linesOf(
  { actions, looks }: RecordedTest,
  actionLines: (action: PerformedAction) => readonly string[],
  lookLines: (look: Look) => readonly string[],
): readonly string[] {
  return actions.flatMap((action, index) => [
    ...actionLines(isArming(action.call) ? withOptionalFault(action) : action),
    ...looks.filter(({ after }) => after === index + 1).flatMap(lookLines),
  ]);
}

/** What the test compares decides, also if a fault has not triggered at its end. */
function withOptionalFault(action: PerformedAction): PerformedAction {
  return { ...action, call: { ...action.call, body: { ...Object(action.call.body), optional: true } } };
}

function startOf({ actions }: RecordedTest): string {
  return formatInstant(actions[0]?.at ?? 0);
}

function asScenario(test: RecordedTest): string {
  const steps = linesOf(
    test,
    ({ label, call }) => {
      const [first = "", ...rest] = asStep(call).split("\n");
      const note = call.file === undefined ? [`  note: ${JSON.stringify(label)}`] : [];
      return [first, ...note, ...rest];
    },
    ({ label, path, members }) => [
      `- control: GET ${path}`,
      `  note: ${JSON.stringify(label)}`,
      `  expect: ${JSON.stringify({ body: members })}`,
    ],
  );
  const head = [`scenario: ${JSON.stringify(test.title)}`, `seed: ${test.seed}`, `now: ${startOf(test)}`];
  return `${[...head, "when:", ...steps.map((line) => `  ${line}`)].join("\n")}\n`;
}

function asVitest(test: RecordedTest): string {
  const lines = linesOf(
    test,
    ({ label, call }) => [`// ${oneLine(label)}`, ...asTypeScript(call).split("\n")],
    ({ label, path, members }) => [
      `// ${oneLine(label)}`,
      `expect(await emulator.control("GET", ${JSON.stringify(path)})).toMatchObject(${JSON.stringify(members)});`,
    ],
  );
  const importLine = (name: string, module: string) => `import { ${name} } from ${JSON.stringify(module)};`;
  return `${importLine("test", "trace-platform-emulator/vitest")}
${importLine("expect", "vitest")}

// A machine may be slow, and actions may advance by days.
const TIMEOUT_MS = 60_000;

const recorded = test.extend({ emulatorOptions: ${JSON.stringify({ seed: test.seed, now: startOf(test) })} });

recorded(${JSON.stringify(test.title)}, async ({ emulator }) => {
${lines.map((line) => `  ${line}`).join("\n")}
}, TIMEOUT_MS);
`;
}

function asPytest(test: RecordedTest): string {
  const lines = linesOf(
    test,
    ({ label, call: { method, path, body, file, headers } }) => {
      const control = controlPathOf(path);
      if (file !== undefined) return [`# Before the test: emulator snapshot import ${oneLine(file)}`];
      const rest = body === undefined ? "" : `, ${python(body)}`;
      if (control !== undefined)
        return [`# ${oneLine(label)}`, `emulator.control("${method}", ${python(control)}${rest})`];
      const options = [
        body === undefined ? "" : `, json=${python(body)}`,
        headers ? `, headers=${python(headers)}` : "",
      ];
      return [`# ${oneLine(label)}`, `emulator.request("${method}", ${python(path)}${options.join("")})`];
    },
    ({ label, path, members }) => [
      `# ${oneLine(label)}`,
      `seen = emulator.control("GET", ${python(path)})`,
      `expected = ${python(members)}`,
      "assert part_of(seen, expected) == expected",
    ],
  );
  return `import trace_platform_emulator


def part_of(value, like):
    """The members of a value that are compared."""
    if isinstance(like, dict):
        return {name: part_of(value[name], like[name]) for name in like}
    if isinstance(like, list) and len(like) == len(value):
        return [part_of(each, other) for each, other in zip(value, like)]
    return value


def test_console():
    """${oneLine(test.title).replaceAll("\\", "").replaceAll('"', "'")}"""
    with trace_platform_emulator.start(seed=${test.seed}, now="${startOf(test)}") as emulator:
${lines.map((line) => `        ${line}`).join("\n")}
`;
}

/** A comment ends with its line, also in the languages that know more line ends. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
}

/** A JSON value as Python: texts are written alike. */
function python(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}: ${python(member)}`).join(", ")}}`;
}
