import { asking } from "../asking.ts";
import { type CommandGroup, UsageError } from "../command.ts";
import { queryTraces } from "../traces/query.ts";
import { sendTraces } from "../traces/send.ts";
import { countOf, FROM_ZERO, textOf, timeOf, windowFlags } from "../values.ts";

const COUNT = 100;

export const command: CommandGroup = {
  summary: "trace rows of a running emulator: generate samples, send a file, query",
  actions: {
    generate: asking({
      summary: "ingest realistic sample traces, by default of the last day",
      flags: {
        count: { value: "<n>", help: `number of rows (default ${COUNT})` },
        project: { value: "<name>", help: "tracing project (default samples)" },
        ...windowFlags("start of the period in which the rows start", "end of that period, exclusive"),
        seed: {
          value: "<n>",
          help: "random seed: the same seed gives the same rows (default: a new seed for each call)",
        },
        shape: {
          value: "<name>",
          help: "mixed, flat, deep, wide, errors, torture (edge cases) or bench (cheap rows, for benchmarks) (default mixed)",
        },
      },
      ask(invocation) {
        const order = {
          count: countOf(invocation, "count") ?? COUNT,
          ...given("project", textOf(invocation, "project")),
          ...given("from", timeOf(invocation, "from")),
          ...given("to", timeOf(invocation, "to")),
          ...given("seed", countOf(invocation, "seed", FROM_ZERO)),
          ...given("shape", textOf(invocation, "shape")),
        };
        if (
          order.from !== undefined &&
          order.to !== undefined &&
          Date.parse(order.to) <= Date.parse(order.from)
        )
          throw new UsageError(`--to: ${order.to} is not later than --from`);
        return ({ client }) => client.generateTraces(order);
      },
      lines: ({ count, project, session_id, from, to }) => [
        `${count} rows in the project ${project} (${session_id}), begun from ${from} to ${to}`,
      ],
    }),
    send: sendTraces,
    query: queryTraces,
  },
};

/** A member that is left out when nothing was given. */
function given<Name extends string, T>(name: Name, value: T | undefined): { readonly [Key in Name]?: T } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [Key in Name]?: T };
}
