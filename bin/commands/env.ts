import { CHILD_VARIABLES, childEnvironment } from "../../emulator/client/child-environment.ts";
import { CLIENT_NAMES, type ClientSettings, clientSettings } from "../../emulator/client/client-settings.ts";
import { quoted } from "../../emulator/client/shell.ts";
import type { WorldAddresses } from "../../emulator/client/views.ts";
import { type Command, type Invocation, UsageError, WORLD_FLAGS } from "../command.ts";
import { basePathOf, requireLocator, runningWorld, urlFlag } from "../running.ts";
import { print } from "../terminal.ts";
import { wordOf } from "../values.ts";

export const command: Command = {
  summary:
    'print `export …` lines with the addresses and keys of a running emulator: `eval "$(emulator env)"`',
  operands: [],
  flags: {
    ...WORLD_FLAGS,
    for: {
      value: CLIENT_NAMES.join("|"),
      help: "print only the settings of this client: variables, flags that it needs, and notes",
    },
  },
  note: `Variables: ${CHILD_VARIABLES}.`,
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const client = wordOf(invocation, "for", CLIENT_NAMES);
  const isElsewhere = urlFlag(invocation) !== undefined || basePathOf(invocation) !== "";
  // The locator file has the addresses of the world main and is readable while the emulator is busy.
  const addresses = isElsewhere
    ? await (await runningWorld(invocation)).client.status()
    : await requireLocator(invocation);
  if (client !== undefined) return printSettings(invocation, client, addresses);
  const variables = childEnvironment(addresses);
  if (invocation.flags.json === true) print(JSON.stringify(variables));
  else printVariables(variables);
  return 0;
}

function printSettings(
  { flags }: Invocation,
  client: (typeof CLIENT_NAMES)[number],
  addresses: WorldAddresses,
): number {
  if (client === "s3cmd" && new URL(addresses.s3_url).pathname !== "/")
    throw new UsageError(
      `--world: s3cmd cannot reach the world ${flags.world}, since it takes no path in an address; use another client or the world main`,
    );
  const settings = clientSettings(client, addresses);
  const { variables, flags: [, ...words] = [], notes } = settings;
  if (flags.json === true) print(JSON.stringify({ variables, flags: words, notes }));
  else printShell(settings);
  return 0;
}

function printShell({ variables, flags, notes }: ClientSettings): void {
  printVariables(variables);
  if (flags) {
    const [program, ...words] = flags;
    print(`${program}() { command ${program} ${words.map(quoted).join(" ")} "$@"; }`);
  }
  for (const note of notes) print(`# ${note}`);
}

function printVariables(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) print(`export ${name}=${quoted(value)}`);
}
