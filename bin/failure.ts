import type { ErrorReply } from "../emulator/client/send.ts";
import type { Interrupted, NamedCommand, UsageError } from "./command.ts";
import { toCliHints } from "./hints.ts";
import { DEFECT_EXIT_CODE, exitCodeAfter } from "./signals.ts";
import { print, printError } from "./terminal.ts";

type ExplainedError = Pick<Error, "message"> &
  Partial<Pick<UsageError, "problems">> &
  Partial<Pick<ErrorReply, "code" | "description" | "status">> &
  Partial<Pick<Interrupted, "signal" | "hasReport">>;

/** How a command ends because of an error. */
interface Explanation {
  readonly exitCode: number;
  /** For programs. */
  readonly code: string;
  /** Text, if it is not the message of the error. */
  readonly text?: string;
}

/** Statuses of replies that refuse the user's input; others are about the state of the emulator. */
const REFUSED_INPUT = new Set<number | undefined>([400, 404, 422]);

/** Errors that end a command with a message, by name: separately built commands have their own error classes. */
const EXPLAINED: Readonly<Record<string, (error: ExplainedError) => Explanation>> = {
  UsageError: () => ({ exitCode: 2, code: "wrong_use" }),
  StartProblem: () => ({ exitCode: 2, code: "cannot_start" }),
  Unreachable: () => ({ exitCode: 2, code: "unreachable" }),
  NoReply: () => ({ exitCode: 2, code: "unreachable" }),
  CommandFailure: () => ({ exitCode: 1, code: "failed" }),
  Interrupted: ({ signal = "SIGINT" }) => ({ exitCode: exitCodeAfter(signal), code: "interrupted" }),
  // Messages of the control API are complete; those of the platform API need the description.
  ErrorReply: ({ message, code, description = message, status }) => ({
    exitCode: REFUSED_INPUT.has(status) ? 2 : 1,
    code: code ?? `http_${status}`,
    text: code === undefined ? description : message,
  }),
};

/** Prints why a command has ended: lines on standard error, or one JSON object on standard output. Returns the exit code. */
export function reportFailure(error: unknown, isJson: boolean, called?: NamedCommand): number {
  const explain = error instanceof Error ? EXPLAINED[error.name] : undefined;
  if (!(error instanceof Error) || explain === undefined) return reportDefect(error, isJson);
  const { exitCode, code, text = error.message } = explain(error);
  const { problems = [text], hasReport = false } = error as ExplainedError;
  const lines = problems.map((problem) => toCliHints(problem, called?.command));
  if (isJson && !hasReport)
    printFailure(code, lines, `see \`emulator ${called === undefined ? "" : `${called.name} `}--help\``);
  else for (const line of lines) printError(line);
  return exitCode;
}

function reportDefect(error: unknown, isJson: boolean): number {
  const trace = error instanceof Error ? error.stack : String(error);
  const text = `a defect of the emulator: ${trace}`;
  if (isJson) printFailure("defect", [text], "report it with this message");
  else for (const line of text.split("\n")) printError(line);
  return DEFECT_EXIT_CODE;
}

/** Prints an error as data; `hint` is the next step if the lines name none. */
export function printFailure(code: string, lines: readonly string[], hint = "see the message"): void {
  const parts = lines.map(partsOf);
  const joined = (name: "message" | "hint") =>
    [...new Set(parts.map((part) => part[name]))].join("\n").trim();
  print(JSON.stringify({ error: { code, message: joined("message"), hint: joined("hint") || hint } }));
}

/** Text in quotes, in which nothing is divided. */
const QUOTED = /"(?:\\.|[^"\\])*"|`[^`]*`/g;

const NEXT_STEP = /; |[.)?] (?=[A-Z])|: (?=(?:give|name|leave|use|remove|play|run|write) )/g;

/** A message ends with the next step, after a semicolon or as a sentence of its own. */
function partsOf(text: string): { readonly message: string; readonly hint: string } {
  const plain = text.replace(QUOTED, (quoted) => "x".repeat(quoted.length));
  const end = [...plain.matchAll(NEXT_STEP)].at(-1)?.index;
  if (end === undefined) return { message: text, hint: "" };
  return { message: text.slice(0, end).trim(), hint: text.slice(end + 2).trim() };
}
