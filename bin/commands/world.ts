import { type Command, type Invocation, TARGET_FLAGS, UsageError } from "../command.ts";
import { callControl } from "../control-client.ts";
import { targetUrl } from "../running.ts";
import { print } from "../terminal.ts";

interface World {
  readonly id: string;
  readonly from: string | null;
  readonly url: string;
  readonly now: string | null;
}

type Action = (url: string, invocation: Invocation, id: string | undefined) => Promise<unknown>;

const WORLDS = "/_emulator/v1/worlds";
const ID_WIDTH = 20;

const ACTIONS: Readonly<Record<string, Action>> = {
  list: (url) => callControl<readonly World[]>(url, WORLDS),
  create: (url, { flags }, id) => {
    const body = {
      ...(id !== undefined && { id }),
      ...(typeof flags.from === "string" && { from: flags.from }),
    };
    return callControl<World>(url, WORLDS, { method: "POST", body });
  },
  rm: (url, _, id) =>
    callControl<World>(url, `${WORLDS}/${encodeURIComponent(needed(id))}`, { method: "DELETE" }),
};

export const command: Command = {
  summary: "list, create and rm the worlds of a running emulator",
  operands: ["<list|create|rm>", "[id…]"],
  flags: {
    ...TARGET_FLAGS,
    from: {
      value: "<name>",
      help: "with create: the world or snapshot to go on from; `seeded` is as the configuration begins one",
    },
  },
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const { flags, operands } = invocation;
  const [name = "", id, surplus] = operands;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action)
    throw new UsageError(`${name}: world does not know this; choose ${Object.keys(ACTIONS).join(", ")}`);
  const extra = name === "list" ? id : surplus;
  if (extra !== undefined) throw new UsageError(`${extra}: not expected after world ${name}`);
  if (flags.from !== undefined && name !== "create")
    throw new UsageError("--from: only `world create` takes it");
  if (name === "rm") needed(id);
  const answer = await action(await targetUrl(invocation), invocation, id);
  if (flags.json === true) print(JSON.stringify(answer));
  else if (flags.quiet !== true) for (const line of linesOf(name, answer)) print(line);
  return 0;
}

function linesOf(name: string, answer: unknown): readonly string[] {
  if (name === "list") return (answer as readonly World[]).map(lineOf);
  return name === "rm" ? [`${(answer as World).id} is removed`] : [lineOf(answer as World)];
}

function lineOf({ id, from, url, now }: World): string {
  const origin = from === null ? "began empty" : `goes on from ${from}`;
  return `${id.padEnd(ID_WIDTH)}${url}; ${origin}; ${now ?? "not in use since the start"}`;
}

function needed(id: string | undefined): string {
  if (id !== undefined) return id;
  throw new UsageError("world rm: <id> is missing; `emulator world list` lists them");
}
