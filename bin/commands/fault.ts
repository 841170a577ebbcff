import { FAULT_POINTS, FAULT_PRESETS, FAULT_TARGETS } from "../../contracts/spec/faults.ts";
import type { FaultView } from "../../emulator/client/faults.ts";
import { asking } from "../asking.ts";
import { type Command, type CommandGroup, UsageError } from "../command.ts";
import { faultOrderOf } from "../fault/order.ts";
import { aligned, printResult } from "../terminal.ts";

export const command: CommandGroup = {
  summary:
    "faults (failures on purpose) of a running emulator: arm, list and remove them; list presets and targets",
  actions: {
    arm: asking({
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
        optional: { help: "no error if it never triggers (only an emulator with --strict reports that)" },
      },
      ask(invocation) {
        const order = faultOrderOf(invocation);
        return ({ client }) => client.call<FaultView>("POST", "/faults", order);
      },
      lines: (fault) => [lineOf(fault).join("  ")],
    }),
    list: asking({
      summary: "list the faults with their hits",
      reads: true,
      ask: () => (world) => world.client.faults.list(),
      lines: (faults) => aligned(faults.map(lineOf)),
    }),
    rm: asking({
      summary: "remove a fault, or all of them",
      operands: ["[id]"],
      flags: { all: { help: "remove every fault" } },
      ask({ operands: [id], flags: { all } }) {
        if ((id === undefined) === (all !== true))
          throw new UsageError("fault rm: give the id of a fault, or --all");
        return ({ client }) => client.faults.clear(id);
      },
      lines: ({ deleted }) => [typeof deleted === "number" ? `${deleted} removed` : `${deleted} is removed`],
    }),
    presets: printing("list the presets", FAULT_PRESETS, ({ target, summary }) => [target, summary]),
    points: printing(
      "list the points of an export run where a fault can trigger",
      FAULT_POINTS,
      (meaning) => [meaning],
    ),
    targets: printing(
      "list the targets with what their faults match and do",
      FAULT_TARGETS,
      ({ match, then }) => [`match ${Object.keys(match).join(", ")}`, `then ${Object.keys(then).join(", ")}`],
    ),
  },
};

/** Prints a table of the fault language, which needs no emulator. */
function printing<Row>(
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
  return [id, state, `${hits}/${times} hits`, preset ?? target, JSON.stringify({ match, then })];
}
