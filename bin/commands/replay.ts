import { resolve } from "node:path";
import { type Command, type Invocation, UsageError } from "../command.ts";
import { explorationFlags } from "../replay/bounds.ts";
import { print } from "../terminal.ts";

export const command: Command = {
  summary:
    "run scenarios (YAML files with requests and expected results) or a capsule; without arguments, those shipped with the emulator",
  operands: ["[files or folders…]"],
  flags: {
    target: {
      value: "<url>|<dir>",
      help: "play on a running emulator (its address or data folder), each scenario in a new world",
    },
    world: {
      value: "<id>",
      help: "with --target or --record: use this world; --target resets it for each scenario",
    },
    record: {
      value: "<url>|<dir>",
      help: "write the requests that a running emulator (its address or data folder) received to a new scenario file, which is the argument: `emulator replay --record .emulator seen.scenario.yaml`",
    },
    update: {
      help: "save the journal of each scenario next to it; later runs report drift if their journal differs; with --record or --shrink: replace an existing file",
    },
    keep: { help: "keep the worlds of failed scenarios for inspection until Ctrl-C" },
    seed: { value: "<n>", help: "seed, instead of that of each scenario" },
    jobs: { value: "<n>", help: "number of scenarios played in parallel (default: one per processor)" },
    ...explorationFlags("scenario"),
    capsule: {
      value: "<file>",
      help: "when a scenario fails, write a capsule: a file with everything that repeats the failure; `emulator open <file>` shows it",
    },
    shrink: {
      value: "<file>",
      help: "write the smallest scenario that fails in the same way as this one to --output",
    },
    same: {
      value: "step|path|difference",
      help: "with --shrink: what stays the same in the smaller scenario. step: the failed step. path (default): also the path in the reply, the expected value, and the actual value except its numbers. difference: also the numbers of the actual value",
    },
    report: { value: "pretty|junit|json|md|html", help: "report format (default pretty)" },
    trust: {
      help: "when an argument is a capsule: let it use environment variables, files and hosts other than this machine; only for a capsule whose author you trust",
    },
    schema: { help: "print the JSON Schema of scenario files and exit" },
    output: {
      value: "<file>",
      help: "file for the report (default: standard output), or for the scenario of --shrink",
    },
  },
  run,
};

/** Each mode loads its part of the harness on demand. */
async function run(invocation: Invocation): Promise<number> {
  const { schema, record, vary, sweep, shrink } = invocation.flags;
  if (schema === true) return printSchema();
  const capsule = invocation.operands.find((name) => name.endsWith(".capsule"));
  if (capsule !== undefined) {
    refuseOtherFlags(invocation, capsule);
    return (await import("../capsule/play.ts")).replayCapsule(resolve(invocation.cwd, capsule), invocation);
  }
  if (invocation.flags.same !== undefined && shrink === undefined)
    throw new UsageError("--same: it is only for --shrink. Remove it, or add --shrink <file>.");
  if (invocation.flags.trust !== undefined)
    throw new UsageError(
      "--trust: it is only valid when an argument is a capsule; remove it, or give the capsule as an argument",
    );
  const { ScenarioProblem } = await import("../../scenarios/source.ts");
  try {
    if ((vary ?? sweep) !== undefined)
      return await (await import("../replay/explore.ts")).exploreScenarios(invocation);
    if (record !== undefined) await recordTo(invocation, record, shrink);
    if (shrink !== undefined) return await (await import("../replay/shrink.ts")).shrinkScenario(invocation);
    return record === undefined ? await (await import("../replay/play.ts")).playScenarios(invocation) : 0;
  } catch (error) {
    if (error instanceof ScenarioProblem) throw new UsageError(...error.message.split("\n"));
    throw error;
  }
}

/** A capsule is replayed unchanged. */
function refuseOtherFlags({ flags, operands }: Invocation, capsule: string): void {
  if (operands.length > 1)
    throw new UsageError(`${capsule}: a capsule is replayed alone; remove the other arguments`);
  const otherFlag = Object.keys(command.flags).find((name) => name !== "trust" && flags[name] !== undefined);
  if (otherFlag !== undefined)
    throw new UsageError(
      `--${otherFlag}: it cannot be combined with a capsule, which is replayed unchanged. Remove it.`,
    );
}

/** With `--shrink`, the recording is written to the file that this flag names. */
async function recordTo(
  invocation: Invocation,
  from: string | boolean,
  shrink: string | boolean | undefined,
) {
  const [operand] = invocation.operands;
  if (shrink !== undefined && operand !== undefined)
    throw new UsageError(`${operand}: --record writes to the file of --shrink; leave this one out`);
  const operands = shrink === undefined ? invocation.operands : [String(shrink)];
  await (await import("../replay/record.ts")).recordScenario({ ...invocation, operands }, from);
}

async function printSchema(): Promise<number> {
  const { scenarioSchema } = await import("../../scenarios/schema.ts");
  const { configurationSchema } = await import("../../emulator/config/schema.ts");
  print(JSON.stringify(scenarioSchema(configurationSchema()), null, 2).split("\n"));
  return 0;
}
