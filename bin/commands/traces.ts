import { clientCommand, STOPPED_THERE } from "../client-command.ts";
import { CALLER_FLAGS, type CommandGroup, type Invocation, UsageError } from "../command.ts";
import { generateTraces } from "../long-work.ts";
import { projectNamed, projectsOf } from "../projects.ts";
import type { RunningWorld } from "../running.ts";
import { aligned } from "../terminal.ts";
import { sendTraces } from "../traces/send.ts";
import { countOf, FILTER_HELP, FROM_ZERO, textOf, timeOf, windowFlags } from "../values.ts";

const DEFAULT_ROWS = 20;
const MAX_ROWS = 1_000;
const PAGE_ROWS = 100;

interface Row {
  readonly id: string;
  readonly name: string;
  readonly run_type: string;
  readonly status: string;
  readonly start_time: string;
}

interface Page {
  readonly runs: readonly Row[];
  readonly cursors: { readonly next: string | null };
}

type Query = Readonly<Record<string, unknown>>;

/** `traces query`: the latest rows, of all projects unless one is named. */
const queryTraces = clientCommand({
  summary: "list trace rows, the latest first",
  flags: {
    project: { value: "<name>", help: "tracing project (default: all)" },
    trace: { value: "<id>", help: "rows of this trace" },
    filter: { value: "<expression>", help: `only matching rows, ${FILTER_HELP}` },
    root: { help: "only root rows, which have no parent_run_id" },
    ...windowFlags("start of the period in which the rows start", "end of that period, exclusive"),
    limit: { value: "<n>", help: `number of rows (default ${DEFAULT_ROWS})` },
    ...CALLER_FLAGS,
  },
  prepare(invocation) {
    const limit = countOf(invocation, "limit", { most: MAX_ROWS }) ?? DEFAULT_ROWS;
    const query = queryOf(invocation);
    const project = textOf(invocation, "project");
    return async (world) => {
      const projects = project === undefined ? await projectsOf(world) : [await projectNamed(world, project)];
      return projects.length === 0
        ? []
        : rowsOf(world, { ...query, session: projects.map(({ id }) => id) }, limit);
    };
  },
  lines: (rows) =>
    aligned(
      rows.map(({ start_time, run_type, status, id, name }) => [start_time, run_type, status, id, name]),
    ),
});

function queryOf(invocation: Invocation): Query {
  return {
    trace: textOf(invocation, "trace"),
    filter: textOf(invocation, "filter"),
    start_time: timeOf(invocation, "from"),
    end_time: timeOf(invocation, "to"),
    ...(invocation.flags.root === true && { is_root: true }),
  };
}

async function rowsOf({ api }: RunningWorld, query: Query, limit: number): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let cursor: string | null | undefined; rows.length < limit && cursor !== null; ) {
    const body = { ...query, limit: Math.min(limit - rows.length, PAGE_ROWS), cursor };
    const page = await api<Page>("POST", "/runs/query", body);
    rows.push(...page.runs);
    cursor = page.cursors.next;
  }
  return rows;
}

const COUNT = 100;

export const command: CommandGroup = {
  summary: "trace rows of a running emulator: generate samples, send a file, query",
  actions: {
    generate: clientCommand({
      summary: "ingest realistic sample traces, by default of the last 24 hours of virtual time",
      unit: "rows",
      whenStopped: STOPPED_THERE,
      flags: {
        count: { value: "<n>", help: `number of rows (default ${COUNT})` },
        project: { value: "<name>", help: "tracing project (default samples)" },
        ...windowFlags("start of the period in which the rows start", "end of that period, exclusive"),
        seed: {
          value: "<n>",
          help: "random seed: the same seed gives the same rows (default: the next one from the --seed of `start`)",
        },
        shape: {
          value: "<name>",
          help: "mixed, flat, deep, wide, errors, torture (edge cases) or bench (cheap rows, for benchmarks) (default mixed)",
        },
      },
      prepare(invocation) {
        const order = {
          count: countOf(invocation, "count") ?? COUNT,
          project: textOf(invocation, "project"),
          from: timeOf(invocation, "from"),
          to: timeOf(invocation, "to"),
          seed: countOf(invocation, "seed", FROM_ZERO),
          shape: textOf(invocation, "shape"),
        };
        if (
          order.from !== undefined &&
          order.to !== undefined &&
          Date.parse(order.to) <= Date.parse(order.from)
        )
          throw new UsageError(`--to: ${order.to} is not later than --from`);
        return (world, work) => generateTraces(world, work, order);
      },
      lines: ({ count, project, session_id, from, to }) => [
        `${count} rows in the project ${project} (${session_id}), with start times from ${from} to ${to}`,
      ],
    }),
    send: sendTraces,
    query: queryTraces,
  },
};
