import type { CommandGroup } from "../command.ts";

/** Each action loads its part of the harness on demand. */
export const command: CommandGroup = {
  summary: "merge JSON reports of replay, exec and contract run",
  actions: {
    merge: {
      summary: "combine the reports of several parts (--shard), each written with --report json",
      operands: ["<files…>"],
      flags: {
        report: { value: "pretty|junit|json|md|sarif|html", help: "report format (default pretty)" },
        source: {
          value: "<file>",
          help: "with `--report sarif`: file of the repository to which the findings are attached (default: the workflow file in GitHub Actions)",
        },
        output: { value: "<file>", help: "file for the report (default: standard output)" },
      },
      run: async (invocation) => (await import("../report/merge.ts")).mergeReports(invocation),
    },
  },
};
