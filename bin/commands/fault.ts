import { jsonOrText } from "../../contracts/engine/json.ts";
import { parseExact, printExact } from "../../contracts/spec/exact-json.ts";
import {
  FAULT_POINTS,
  FAULT_PRESETS,
  FAULT_TARGETS,
  type FaultPreset,
  type FaultTargetRow,
} from "../../contracts/spec/faults.ts";
import type { FaultView } from "../../emulator/client/faults.ts";
import { hintFor } from "../../emulator/client/values.ts";
import { clientCommand } from "../client-command.ts";
import { type Command, type CommandGroup, type Invocation, UsageError } from "../command.ts";
import { aligned, printResult } from "../terminal.ts";
import { countOf, readDuration, textOf, textsOf } from "../values.ts";

export const command: CommandGroup = {
  summary:
    "faults (failures on purpose) of a running emulator: arm, list and remove them; list presets and targets",
  actions: {
    arm: clientCommand({
      summary:
        "make the emulator fail on purpose: arm a preset (`fault presets`), a target (`fault targets`) with --match and --then, or a fault as JSON",
      operands: ["<preset, target or JSON>"],
      flags: {
        match: {
          value: "<name=value>",
          help: "when the fault triggers, such as at=file.written, op=getBulkExport or path=/api/v1/bulk-exports/*; repeatable",
          many: true,
        },
        then: {
          value: "<name=value>",
          help: "what then happens, such as crash, stall=4h or status=503; repeatable",
          many: true,
        },
        times: { value: "<n>", help: "number of consecutive times that it triggers (default 1)" },
        ttl: { value: "<duration>", help: "virtual time after which it expires" },
        optional: {
          help: "with `start --strict` or `exec --strict`: no exit code 4 if this fault never triggers",
        },
      },
      prepare(invocation) {
        const order = faultOrderOf(invocation);
        return ({ client }) => client.call<FaultView>("POST", "/faults", order);
      },
      lines: (fault) => [lineOf(fault).join("  ")],
    }),
    list: clientCommand({
      summary: "list the faults with their hits",
      reads: true,
      send: ({ client }) => client.faults.list(),
      lines: (faults) => aligned(faults.map(lineOf)),
    }),
    rm: clientCommand({
      summary: "remove a fault, or all of them",
      operands: ["[id]"],
      flags: { all: { help: "remove every fault; without it, an id of `emulator fault list` is required" } },
      prepare({ operands: [id], flags: { all } }) {
        if ((id === undefined) === (all !== true))
          throw new UsageError(
            "fault rm: give either the id of a fault or --all; `emulator fault list` lists the ids",
          );
        return ({ client }) => client.faults.clear(id);
      },
      lines: ({ deleted }) => [typeof deleted === "number" ? `${deleted} removed` : `${deleted} is removed`],
    }),
    presets: tableCommand("list the presets", FAULT_PRESETS, ({ target, summary }) => [target, summary]),
    points: tableCommand(
      "list the points of an export run where a fault can trigger",
      FAULT_POINTS,
      (meaning) => [meaning],
    ),
    targets: tableCommand(
      "list the targets with what their faults match and do",
      FAULT_TARGETS,
      ({ match, then }) => [`match ${Object.keys(match).join(", ")}`, `then ${Object.keys(then).join(", ")}`],
    ),
  },
};

/** Prints a table of the fault language, which needs no emulator. */
function tableCommand<Row>(
  summary: string,
  table: Readonly<Record<string, Row>>,
  cells: (row: Row) => readonly string[],
): Command {
  return {
    summary,
    operands: [],
    flags: {},
    async run(invocation) {
      printResult(
        invocation,
        table,
        aligned(Object.entries(table).map(([name, row]) => [name, ...cells(row)])),
      );
      return 0;
    },
  };
}

function lineOf({ id, state, hits, times, preset, target, match, then }: FaultView): string[] {
  return [id, state, `${hits}/${times} hits`, preset ?? target, printExact({ match, then })];
}

const TARGETS: Readonly<Record<string, FaultTargetRow>> = FAULT_TARGETS;
const PRESETS: Readonly<Record<string, FaultPreset>> = FAULT_PRESETS;

type Members = Readonly<Record<string, unknown>>;

/** The body of `POST /faults` that the words of `fault arm` stand for. Throws `UsageError`. */
function faultOrderOf(invocation: Invocation): Members {
  const [name = ""] = invocation.operands;
  if (name.startsWith("{")) return ruleOf(name, invocation);
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
  const target = preset?.target ?? name;
  const row = Object.hasOwn(TARGETS, target) ? TARGETS[target] : undefined;
  if (row === undefined)
    throw unknownName(name, [...Object.keys(TARGETS), ...Object.keys(PRESETS)], "fault arm");
  const then = textsOf(invocation, "then");
  if (preset !== undefined && then.length > 0)
    throw new UsageError(`--then: the preset ${name} already contains it; leave it out`);
  if (preset === undefined && then.length === 0)
    throw new UsageError(`--then is missing; give one of ${Object.keys(row.then).join(", ")}`);
  const ttl = textOf(invocation, "ttl");
  return {
    ...(preset === undefined
      ? { target, then: membersOf(then, row.then, thenValue, "--then") }
      : { preset: name }),
    match: membersOf(textsOf(invocation, "match"), row.match, matchValue, "--match"),
    times: countOf(invocation, "times"),
    ...(invocation.flags.optional === true && { optional: true }),
    ...(ttl !== undefined && { ttl: readDuration(ttl, "--ttl") }),
  };
}

/** A whole rule as JSON, as the control API takes it. */
function ruleOf(text: string, { flags }: Invocation): Members {
  const otherFlag = ["match", "then", "times", "ttl", "optional"].find((name) => flags[name] !== undefined);
  if (otherFlag !== undefined)
    throw new UsageError(`--${otherFlag}: it cannot be combined with a JSON rule; put it into the rule`);
  try {
    return parseExact(text) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw new UsageError(`fault arm: the rule is not valid JSON (${(error as Error).message})`);
  }
}

type ReadValue<Known> = (text: string | undefined, member: Known, where: string) => unknown;

/** Reads words such as `at=file.written`, and `crash` for one that takes no value. */
function membersOf<Known>(
  words: readonly string[],
  memberTypes: Readonly<Record<string, Known>>,
  read: ReadValue<Known>,
  flag: string,
): Members {
  const members: Record<string, unknown> = {};
  for (const word of words) {
    const [name = ""] = word.split("=", 1);
    const kind = Object.hasOwn(memberTypes, name) ? memberTypes[name] : undefined;
    if (kind === undefined) throw unknownName(name, Object.keys(memberTypes), flag);
    const value = name.length < word.length ? word.slice(name.length + 1) : undefined;
    members[name] = read(value, kind, `${flag} ${name}`);
  }
  return members;
}

const matchValue: ReadValue<FaultTargetRow["match"][string]> = (text, kind, where) => {
  if (text === undefined || text === "") throw new UsageError(`${where}: the value is missing`);
  const values = text
    .split(",")
    .map((each) => (kind === "number" || kind === "count" ? numeral(each) : each));
  return values.length === 1 ? values[0] : values;
};

const thenValue: ReadValue<FaultTargetRow["then"][string]> = (text, { takes }, where) => {
  if (text === undefined) return true;
  if (takes === "duration") return readDuration(text, where);
  if (takes === "status" || takes === "copies") return numeral(text);
  if (takes === "json" || takes === "headers") return jsonOrText(text);
  return text === "true" ? true : text;
};

/** Other text is sent unchanged; the emulator refuses it and lists the valid values. */
function numeral(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text;
}

function unknownName(name: string, validNames: readonly string[], where: string): UsageError {
  const hint = hintFor(name, validNames, `give one of ${validNames.join(", ")}`);
  return new UsageError(`${where}: "${name}" is unknown; ${hint}`);
}
