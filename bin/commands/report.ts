import type { CommandGroup } from "../command.ts";

/** Each action loads its part of the harness on demand. */
export const command: CommandGroup = {
  summary: "merge JSON reports of replay, exec and contract run",
  actions: {
    merge: {
      summary: "combine the reports of several parts (--shard), each written with --report json",
      operands: ["<files…>"],
      flags: {
        report: { value: "pretty|junit|json|md|html", help: "report format (default pretty)" },
        output: { value: "<file>", help: "file for the report (default: standard output)" },
      },
      run: async (invocation) => (await import("../report/merge.ts")).mergeReports(invocation),
    },
  },
};
