import { asking } from "../asking.ts";
import { CALLER_FLAGS, type CommandGroup } from "../command.ts";
import { createExport } from "../export/create.ts";
import {
  type BulkExport,
  exportCells,
  exportOf,
  exportsOf,
  givenOrNewest,
  runCells,
  runsOf,
} from "../export/resources.ts";
import { whyExported } from "../export/why.ts";
import { aligned } from "../terminal.ts";
import { readId, readOptionalId } from "../values.ts";

export const command: CommandGroup = {
  summary: "bulk exports of a running emulator",
  actions: {
    create: createExport,
    list: asking({
      summary: "list the exports, the newest first",
      reads: true,
      flags: CALLER_FLAGS,
      ask: () => (world) => exportsOf(world),
      lines: (exports) => aligned(exports.map(exportCells)),
    }),
    show: asking({
      summary: "print an export (default: the newest)",
      reads: true,
      operands: ["[id]"],
      flags: CALLER_FLAGS,
      ask({ operands: [operand] }) {
        const id = readOptionalId(operand, "export show");
        return async (world) => exportOf(world, await givenOrNewest(world, id));
      },
      lines: (found) =>
        aligned(
          Object.entries(found).map(([name, value]) => [
            name,
            typeof value === "string" ? value : JSON.stringify(value),
          ]),
        ),
    }),
    runs: asking({
      summary: "list the runs of an export (default: the newest), one for each day, with their latest error",
      reads: true,
      operands: ["[id]"],
      flags: CALLER_FLAGS,
      ask({ operands: [operand] }) {
        const id = readOptionalId(operand, "export runs");
        return async (world) => runsOf(world, await givenOrNewest(world, id));
      },
      lines: (runs) => aligned(runs.map(runCells)),
    }),
    cancel: asking({
      summary: "cancel an export that has not ended",
      operands: ["<id>"],
      flags: CALLER_FLAGS,
      ask({ operands: [operand = ""] }) {
        const path = `/api/v1/bulk-exports/${readId(operand, "export cancel")}`;
        return ({ api }) => api<BulkExport>("PATCH", path, { status: "Cancelled" });
      },
      lines: ({ id, status }) => [`export ${id} is ${status}`],
    }),
    why: whyExported,
  },
};
