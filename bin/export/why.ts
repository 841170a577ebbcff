import { asking } from "../asking.ts";
import { CALLER_FLAGS } from "../command.ts";
import { readId, readOptionalId, textOf } from "../values.ts";
import { givenOrNewest } from "./resources.ts";

/** `export why`: why a trace row is in an export, or not. */
export const whyExported = asking({
  summary: "say why a trace row is in an export, or not",
  operands: ["<row id>"],
  flags: { export: { value: "<id>", help: "export (default: the newest)" }, ...CALLER_FLAGS },
  ask(invocation) {
    const row = readId(invocation.operands[0] ?? "", "<row id>");
    const id = readOptionalId(textOf(invocation, "export"), "--export");
    return async (world) => world.client.exports.explain(await givenOrNewest(world, id), row);
  },
  lines: ({ export_id, included, why, file }) => [
    `${included === null ? "not yet" : included ? "in" : "not in"} export ${export_id}: ${why}`,
    ...(file === null ? [] : [file]),
  ],
});
