import { type Command, type Invocation, UsageError } from "../command.ts";
import { print } from "../terminal.ts";

export const command: Command = {
  summary: "play scenario files; without operands those that come with the emulator",
  operands: ["[files or folders…]"],
  flags: {
    target: {
      value: "<url>|<dir>",
      help: "play on the emulator that runs there (its address or data folder), each scenario in a world that is made for it",
    },
    world: {
      value: "<id>",
      help: "with --target or --record: this world, which --target empties for each scenario",
    },
    record: {
      value: "<url>|<dir>",
      help: "write what a running emulator (its address or data folder) was asked as a scenario into the file given",
    },
    update: { help: "write the journals that later ones are compared with" },
    keep: { help: "let the worlds of scenarios that fail stay, to look into them, until you press Ctrl-C" },
    seed: { value: "<n>", help: "instead of the seed of each scenario" },
    jobs: { value: "<n>", help: "how many are played at the same time (default: one for each processor)" },
    report: { value: "pretty|junit|json|md", help: "form of the report (default pretty)" },
    schema: { help: "print the JSON Schema of scenario files, and play nothing" },
    output: { value: "<file>", help: "file for the report (default: standard output)" },
  },
  run,
};

/** Each way loads its part of the harness only when it is asked for. */
async function run(invocation: Invocation): Promise<number> {
  const { schema, record } = invocation.flags;
  if (schema === true) return printSchema();
  const { ScenarioProblem } = await import("../../scenarios/source.ts");
  try {
    if (record === undefined) return await (await import("../replay/play.ts")).playScenarios(invocation);
    return await (await import("../replay/record.ts")).recordScenario(invocation, record);
  } catch (error) {
    if (error instanceof ScenarioProblem) throw new UsageError(error.message);
    throw error;
  }
}

async function printSchema(): Promise<number> {
  const { scenarioSchema } = await import("../../scenarios/schema.ts");
  print(JSON.stringify(scenarioSchema(), null, 2));
  return 0;
}
