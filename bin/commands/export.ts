import { textOrJson } from "../../contracts/spec/exact-json.ts";
import { clientCommand } from "../client-command.ts";
import { CALLER_FLAGS, type CommandGroup } from "../command.ts";
import { createExport } from "../export/create.ts";
import {
  type BulkExport,
  exportCells,
  exportOf,
  exportsOf,
  idOrNewest,
  runCells,
  runsOf,
} from "../export/resources.ts";
import { aligned } from "../terminal.ts";
import { readId, readOptionalId, textOf } from "../values.ts";

/** `export why`: why a trace row is in an export, or not. */
const whyExported = clientCommand({
  summary: "explain why a trace row is in an export, or not",
  operands: ["<row id>"],
  flags: { export: { value: "<id>", help: "export (default: the newest)" }, ...CALLER_FLAGS },
  prepare(invocation) {
    const row = readId(invocation.operands[0] ?? "", "<row id>", "emulator traces query");
    const id = readOptionalId(textOf(invocation, "export"), "--export");
    return async (world) => world.client.exports.explain(await idOrNewest(world, id), row);
  },
  lines: ({ export_id, included, why, file }) => [
    `${included === null ? "not yet in" : included ? "in" : "not in"} export ${export_id}: ${why}`,
    ...(file === null ? [] : [file]),
  ],
});

export const command: CommandGroup = {
  summary: "bulk exports of a running emulator",
  actions: {
    create: createExport,
    list: clientCommand({
      summary: "list the exports, the newest first",
      reads: true,
      flags: CALLER_FLAGS,
      send: (world) => exportsOf(world),
      lines: (exports) => aligned(exports.map(exportCells)),
    }),
    show: clientCommand({
      summary: "print an export (default: the newest)",
      reads: true,
      operands: ["[id]"],
      flags: CALLER_FLAGS,
      prepare({ operands: [operand] }) {
        const id = readOptionalId(operand, "export show");
        return async (world) => exportOf(world, await idOrNewest(world, id));
      },
      lines: (difference) =>
        aligned(Object.entries(difference).map(([name, value]) => [name, textOrJson(value)])),
    }),
    runs: clientCommand({
      summary: "list the runs of an export (default: the newest), one for each day, with their latest error",
      reads: true,
      operands: ["[id]"],
      flags: CALLER_FLAGS,
      prepare({ operands: [operand] }) {
        const id = readOptionalId(operand, "export runs");
        return async (world) => runsOf(world, await idOrNewest(world, id));
      },
      lines: (runs) => aligned(runs.map(runCells)),
    }),
    cancel: clientCommand({
      summary: "cancel an export that has not ended",
      operands: ["<id>"],
      flags: CALLER_FLAGS,
      prepare({ operands: [operand = ""] }) {
        const path = `/api/v1/bulk-exports/${readId(operand, "export cancel")}`;
        return ({ api }) => api<BulkExport>("PATCH", path, { status: "Cancelled" });
      },
      lines: ({ id, status }) => [`export ${id} is ${status}`],
    }),
    why: whyExported,
  },
};
