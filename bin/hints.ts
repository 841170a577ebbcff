import type { Command } from "./command.ts";
import { programName } from "./program-name.ts";

const CONTROL = "/_emulator/v1";

/** Requests as hints of the emulator name them, with their commands; `{name}` in a path is an operand of the command. */
export const COMMAND_FOR_REQUEST: Readonly<Record<string, string>> = {
  [`GET ${CONTROL}/status`]: "status --json",
  [`GET ${CONTROL}/clock`]: "clock",
  [`POST ${CONTROL}/reset`]: "reset",
  [`GET ${CONTROL}/journal`]: "logs",
  [`GET ${CONTROL}/worlds`]: "world list",
  [`POST ${CONTROL}/worlds`]: "world create",
  [`DELETE ${CONTROL}/worlds/{id}`]: "world rm {id}",
  [`GET ${CONTROL}/snapshots`]: "snapshot list",
  [`DELETE ${CONTROL}/snapshots/{name}`]: "snapshot rm {name}",
  [`GET ${CONTROL}/faults`]: "fault list",
  [`DELETE ${CONTROL}/faults`]: "fault rm --all",
  [`GET ${CONTROL}/rate-limits`]: "limits show",
  [`GET ${CONTROL}/s3/buckets/{bucket}/objects`]: "s3 ls {bucket}",
  [`GET ${CONTROL}/webhooks/deliveries`]: "webhooks list",
  [`POST ${CONTROL}/webhooks/check`]: "webhooks check {url}",
  "GET /api/v1/bulk-exports": "export list",
  "GET /openapi.json": "openapi",
};

/** A list of valid values, which stays as it is; or a method, a path, and the body that may be given as an example. */
const LIST_OR_REQUEST =
  /\bKnown: .*?\.(?=\s|$)|\b((?:GET|POST|PUT|PATCH|DELETE) \/[\w./{}-]*[\w}])(?![\w/?{-])( \{[^}]*\})?/g;
const OPERAND = /\{(\w+)\}/g;
/** A request field in a message: alone, in backticks, or as the subject of a refusal. */
const MEMBER = /\b(?:body|query|path)\.(\w+)|`(\w+)`|(?<=^|; )(\w+)(?=: )/g;
/** A field of a flag that may be given several times. */
const INNER_MEMBER = /\b(match|then)\.(?=\w)/g;

/** Rewrites a message about a request for the command line: with commands, and the flags and operands of this one. */
export function toCliHints(
  text: string,
  command: Pick<Command, "flags" | "operands"> = NO_COMMAND,
  program = programName(),
): string {
  return text
    .replace(LIST_OR_REQUEST, (all: string, request: string | undefined) => {
      const verb = request && commandFor(request);
      return verb === undefined ? all : `\`emulator ${verb}\``;
    })
    .replace(MEMBER, (all: string, ...groups: (string | undefined)[]) => {
      const name = (groups[0] ?? groups[1] ?? groups[2] ?? "").replaceAll("_", "-");
      const operand = command.operands.find((each) => each.slice(1, -1).split(" ").at(-1) === name);
      return operand ?? (command.flags[name] === undefined ? all : `--${name}`);
    })
    .replace(INNER_MEMBER, (all, name: string) => (command.flags[name] ? `--${name} ` : all))
    .replaceAll("`emulator ", `\`${program} `);
}

const NO_COMMAND = { flags: {}, operands: [] };

/** The command with the operands that the request names; undefined where there is none. */
function commandFor(request: string): string | undefined {
  for (const [template, verb] of Object.entries(COMMAND_FOR_REQUEST)) {
    const match = new RegExp(`^${template.replace(OPERAND, "(?<$1>[^/]+)")}$`).exec(request);
    if (match) return verb.replace(OPERAND, (_, name: string) => valueOf(match.groups?.[name], name));
  }
  return undefined;
}

/** A value that the request has; an operand to be filled in where it has a placeholder. */
function valueOf(value: string | undefined, name: string): string {
  return value === undefined || value.startsWith("{") ? `<${name}>` : value;
}
