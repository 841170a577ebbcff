import {
  type AnyCommand,
  COMMON_FLAGS,
  type CommandGroup,
  type CommandTable,
  type Flags,
  type NamedCommand,
} from "./command.ts";
import { VARIABLE_FLAGS } from "./command-line.ts";
import { EXAMPLES } from "./examples.ts";
import { aligned } from "./terminal.ts";

export const EXIT_CODES: Readonly<Record<number, string>> = {
  0: "success",
  1: "failure: of a case, a scenario, a verification or the requested operation",
  2: "wrong usage or configuration; an address that does not answer, a scenario that cannot be played",
  3: "drift: `replay` differs from a saved journal, `contract run --compare` found differences",
  4: "a fault that was never triggered (`start` and `exec` with --strict)",
  5: "a defect of the emulator, or a disk or data folder that fails while it is running",
  130: "Ctrl-C (`start` exits with 0); a line on standard error gives the completed work",
};

const INDENT = "  ";
const TERMS =
  "Terms: docs/understand/glossary.md of the package. § numbers are sections of the emulated service's specification.";

/** Which flags have an environment variable. */
export const ENVIRONMENT = `Each flag of \`start\` that is a setting (docs/look-up/settings.md) has an environment variable: for --port it is EMULATOR_PORT. These flags have one too: ${VARIABLE_FLAGS.map((flag) => `--${flag}`).join(", ")} and --config.`;

export function commandHelp({ name, command }: NamedCommand): string {
  return [
    command.summary,
    "",
    `Usage: emulator ${usageOf(name, command.operands)}`,
    "",
    "Flags:",
    ...flagLines({ ...command.flags, ...COMMON_FLAGS }),
    ...(command.note === undefined ? [] : ["", command.note]),
    ...examplesOf(name),
    "",
    TERMS,
  ].join("\n");
}

/** Two command lines, and the page of the documentation. */
function examplesOf(name: string, actions: readonly string[] = []): readonly string[] {
  const [group = "", action = ""] = name.split(" ");
  const { page, lines } = EXAMPLES[group] ?? {};
  const examples =
    actions.length === 0 ? (lines?.[action] ?? []) : actions.flatMap((each) => lines?.[each]?.[0] ?? []);
  return [
    "",
    "Examples:",
    ...examples.map((line) => `${INDENT}emulator ${line}`),
    "",
    `Documentation: docs/${page} of the package.`,
  ];
}

/** Flags after `--` would belong to the command that is run. */
function usageOf(name: string, operands: readonly string[]): string {
  const isLast = operands[0]?.startsWith("--") === true;
  return [name, ...(isLast ? ["[flags]", ...operands] : [...operands, "[flags]"])].join(" ");
}

export function groupHelp(name: string, { summary, actions, usual }: CommandGroup): string {
  const rows = Object.entries(actions).map(([action, { operands, summary }]) => [
    [action, ...operands].join(" "),
    summary,
  ]);
  return [
    summary,
    "",
    `Usage: emulator ${name} ${Object.keys(actions).join("|")} [flags]${usual === undefined ? "" : `   (default: ${usual})`}`,
    "",
    "Commands:",
    ...aligned(rows, INDENT),
    "",
    `\`emulator ${name} <command> --help\` lists the flags of a command.`,
    ...examplesOf(name, Object.keys(actions).slice(0, 2)),
  ].join("\n");
}

/** The list of commands. */
export async function overview(commands: CommandTable): Promise<string> {
  const rows: [string, string][] = [];
  for (const [name, load] of Object.entries(commands)) {
    const { command } = await load();
    rows.push([`${name} ${wordsOf(command)}`, command.summary]);
  }
  // The overview has room only for the text before the first punctuation mark.
  const codes = Object.entries(EXIT_CODES).map(([code, text]) => `${code} ${text.replace(/[:;,] .*$/, "")}`);
  return [
    "A local emulator of a hosted tracing and agent platform.",
    "",
    "Usage: emulator [command] [flags]   (without a command: start)",
    "",
    "Commands:",
    ...aligned(rows, INDENT),
    "",
    "`emulator help <command>` lists the flags and examples of a command, `emulator help <code>` explains an error code.",
    ENVIRONMENT,
    `Exit codes: ${codes.join(", ")}. \`exec\` exits with the code of its command, and with 4 only if that is 0.`,
    "Documentation: docs/README.md of the package; for coding agents AGENTS.md.",
    TERMS,
  ].join("\n");
}

function wordsOf(entry: AnyCommand): string {
  return "actions" in entry ? Object.keys(entry.actions).join("|") : entry.operands.join(" ");
}

function flagLines(flags: Flags): string[] {
  const rows = Object.entries(flags).map(([name, { value, help }]) => [
    `--${name}${value === undefined ? "" : ` ${value}`}`,
    help,
  ]);
  return aligned(rows, INDENT);
}
