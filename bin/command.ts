import { SETTINGS } from "../emulator/config/settings.ts";

/** A flag of a command: one that carries a value names it, one that stands alone does not. */
export interface Flag {
  readonly help: string;
  /** For example `<dir>`. */
  readonly value?: string;
}

/** By name, without the dashes. */
export type Flags = Readonly<Record<string, Flag>>;

/** What the user asked for, checked against the command's flags and operands. */
export interface Invocation {
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
  readonly operands: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** One word of the command line; its module is loaded only when it is asked for. */
export interface Command {
  readonly summary: string;
  /** Names of what must follow the command: `<id>`; `<cmd…>` takes one word or more, `[file…]` any number. */
  readonly operands: readonly string[];
  readonly flags: Flags;
  /** Answers with the exit code. */
  run(invocation: Invocation): Promise<number>;
}

/** Used wrongly or configured wrongly: a line on standard error and exit 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** What was asked for could not be done: a line on standard error and exit 1. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
}

/** Every command takes these. */
export const COMMON_FLAGS: Flags = {
  json: { help: "print JSON, for programs" },
  quiet: { help: "print nothing but problems" },
  help: { help: "print this help" },
};

const CONFIG_FLAG: Flags = {
  config: {
    value: "<file>",
    help: "configuration file (default emulator.config.{yaml,yml,json} when present)",
  },
};

/** How commands find the emulator that runs. */
export const TARGET_FLAGS: Flags = {
  url: { value: "<url>", help: "address of the emulator (default: the locator file in the data folder)" },
  data: { value: "<dir>", help: "data folder in which the locator file lies (default .emulator)" },
  ...CONFIG_FLAG,
};

/** For commands that are about one world of it. */
export const WORLD_FLAGS: Flags = {
  ...TARGET_FLAGS,
  world: { value: "<id>", help: "which world (default main)" },
};

/** The flags that the settings table gives. */
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
  return schema.format === "date-time" ? "<ISO>" : "<text>";
}
