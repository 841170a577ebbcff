import { type Command, type Flags, type Invocation, UsageError } from "../command.ts";

type Action = (invocation: Invocation, selectors: readonly string[]) => Promise<number>;

/** Each loads its part of the harness only when it is asked for. */
const ACTIONS: Readonly<Record<string, Action>> = {
  run: async (...named) => (await import("../contract/run.ts")).run(...named),
  list: async (...named) => (await import("../contract/list.ts")).list(...named),
  coverage: async (...named) => (await import("../contract/coverage.ts")).showCoverage(...named),
  selftest: async (...named) => (await import("../contract/selftest.ts")).runSelftest(...named),
};

const FLAGS: Flags = {
  target: {
    value: "<url>|container[:<image>]",
    help: "US base address of the server to judge, or an image to start (default: an emulator in this process)",
  },
  "eu-url": { value: "<url>", help: "its EU base address" },
  "agent-url": {
    value: "<url>",
    help: "base address of its agent server, where that is another one; without --target nothing else is judged",
  },
  world: {
    value: "<id>",
    help: "judge this world of an emulator as it stands, such as main (default: one made for the run)",
  },
  assistant: {
    value: "<name>",
    help: "assistant that runs are started with: its id, graph or name (default: echo, else the first one)",
  },
  "api-key": { value: "<key>", help: "key to call it with" },
  "compare-api-key": { value: "<key>", help: "key of the server at --compare, where --target has its own" },
  "tenant-id": { value: "<uuid>", help: "workspace to call it in" },
  s3: { value: "<url>", help: "object store that it exports to; `aws` for AWS itself" },
  "s3-bucket": { value: "<name>", help: "bucket there (default traces)" },
  "s3-region": { value: "<name>", help: "region of the bucket (default us-east-1)" },
  "s3-access-key-id": { value: "<id>", help: "access key (default: AWS_ACCESS_KEY_ID)" },
  "s3-secret-access-key": { value: "<secret>", help: "its secret (default: AWS_SECRET_ACCESS_KEY)" },
  "allow-writes": { help: "let cases create and change things on a server that is not local" },
  budget: { value: "<n>", help: "requests in all (default: no bound locally, 2000 elsewhere)" },
  compare: { value: "<url>", help: "ask a second server the same, and print only the differences (exit 3)" },
  seed: { value: "<n>", help: "what ids and awkward requests are drawn from (default 1)" },
  bail: { help: "stop at the first case that fails" },
  strict: { help: "differences from the emulator's own choices fail too" },
  report: { value: "pretty|junit|json|md", help: "form of the report (default pretty)" },
  verbose: { help: "show every finding in full, not only the first three of each row" },
  output: { value: "<file>", help: "write the report to a file; the counts are still printed" },
};

export const command: Command = {
  summary: "judge a server by the specification: run, list, coverage, selftest",
  operands: ["<run|list|coverage|selftest>", "[section…]"],
  flags: FLAGS,
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const [name = "", ...selectors] = invocation.operands;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action)
    throw new UsageError(`${name}: contract does not know this; choose ${Object.keys(ACTIONS).join(", ")}`);
  if (name !== "run") refuseFlags(invocation, name);
  return action(invocation, selectors);
}

/** What is passed over in silence is taken for done. */
function refuseFlags({ flags }: Invocation, name: string): void {
  const unusable = Object.keys(FLAGS).find((flag) => flags[flag] !== undefined);
  if (unusable !== undefined)
    throw new UsageError(`--${unusable}: contract ${name} has no use for it, only contract run`);
}
