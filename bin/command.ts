import { SETTINGS } from "../emulator/config/settings.ts";

/** A flag of a command; `value` is the placeholder of its value and is absent for a boolean flag. */
export interface Flag {
  readonly help: string;
  /** For example `<dir>`. */
  readonly value?: string;
  /** Words that it may be followed by; alone it is the first of them. */
  readonly words?: readonly [string, ...string[]];
  /** It may be given several times; its values are joined by line breaks. */
  readonly many?: true;
}

/** By name, without the dashes. */
export type Flags = Readonly<Record<string, Flag>>;

/** Parsed arguments, checked against the command's flags and operands. */
export interface Invocation {
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
  readonly operands: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** One command, or one action of a group; its module is loaded only when it is called. */
export interface Command {
  readonly summary: string;
  /** Operands: `<id>` takes one word, `[id]` one or none, `<command…>` one or more, `[file…]` any number. */
  readonly operands: readonly string[];
  readonly flags: Flags;
  /** Printed after the flags in the help. */
  readonly note?: string;
  /** Resolves with the exit code. */
  run(invocation: Invocation): Promise<number>;
}

/** A command with actions, such as `emulator world list`. */
export interface CommandGroup {
  readonly summary: string;
  readonly actions: Readonly<Record<string, Command>>;
  /** The action that runs when none is named. */
  readonly usual?: string;
}

export type AnyCommand = Command | CommandGroup;

/** Commands by name; each module is loaded on demand. */
export type CommandTable = Readonly<Record<string, () => Promise<{ readonly command: AnyCommand }>>>;

/** A command with all the words that call it. */
export interface NamedCommand {
  /** For example `world list`. */
  readonly name: string;
  readonly command: Command;
}

/** Wrong usage or configuration: a line on standard error for each problem, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly problems: readonly string[];

  constructor(...problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/** The command failed: one line on standard error, exit code 1. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
}

/** No server answers where the command looks for one: exit code 2. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
}

/** A signal ended the command; the message has the completed work. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";

  readonly signal: NodeJS.Signals;
  /** True if the report of the completed work is printed, after which standard output has nothing else. */
  readonly hasReport: boolean;

  constructor(signal: NodeJS.Signals, account: string, hasReport = false) {
    super(`stopped by ${signal}: ${account}`);
    this.signal = signal;
    this.hasReport = hasReport;
  }
}

/** Flags of every command. */
export const COMMON_FLAGS: Flags = {
  json: { help: "print JSON, for programs; where the command has --report, the same as --report json" },
  quiet: { help: "print no progress and no results, only problems" },
  help: { help: "print this help" },
};

const CONFIG_FLAG: Flags = {
  config: {
    value: "<file>",
    help: "configuration file (default emulator.config.{yaml,yml,json} when present)",
  },
};

/** Flags that select the running emulator. */
export const TARGET_FLAGS: Flags = {
  url: { value: "<url>", help: "address of the emulator (default: read from its data folder)" },
  data: { value: "<dir>", help: "data folder of the emulator (default .emulator)" },
  ...CONFIG_FLAG,
};

/** Flags of commands that work on one world. */
export const WORLD_FLAGS: Flags = {
  ...TARGET_FLAGS,
  world: { value: "<id>", help: "world to use; `emulator world list` lists them (default main)" },
};

/** Flags that say who calls the platform API. */
export const CALLER_FLAGS: Flags = {
  "api-key": { value: "<key>", help: "API key (default emulator-key)" },
  "tenant-id": { value: "<uuid>", help: "workspace (default: the one that each new world has)" },
};

/** The flag of commands that can read the history of a world. */
export const AS_OF_FLAG: Flags = {
  at: {
    value: "<turn|time>",
    help: "show an earlier state: after a turn (a number from `emulator logs`), or at a virtual time (ISO 8601)",
  },
};

/** The flags derived from the settings table. */
export function settingFlags(): Flags {
  const flags: Record<string, Flag> = { ...CONFIG_FLAG };
  for (const { flag, kind, word, bare, initial, help } of SETTINGS.values()) {
    if (flag === undefined) continue;
    const usual = typeof initial === "string" || typeof initial === "number" ? ` (default ${initial})` : "";
    flags[flag] = bare ? { help } : { value: word ?? wordFor(kind.schema), help: help + usual };
  }
  return flags;
}

function wordFor(schema: Readonly<Record<string, unknown>>): string {
  if (Array.isArray(schema.enum)) return schema.enum.filter((value) => typeof value === "string").join("|");
  if (schema.type === "integer") return "<n>";
  if (schema.type === "array") return "<names>";
  return schema.format === "date-time" ? "<time>" : "<text>";
}
