import { COMMON_FLAGS, type CommandTable, type Flags } from "../command.ts";

/** What may follow the words of a command line so far. */
export interface Entry {
  /** For example `world` or `world list`; empty for the first word. */
  readonly path: string;
  /** Commands or actions with their summaries. */
  readonly words: Readonly<Record<string, string>>;
  readonly flags: Flags;
}

/** Every command and action of the table. */
export async function completionEntries(commands: CommandTable): Promise<readonly Entry[]> {
  const first: Record<string, string> = {};
  const entries: Entry[] = [];
  for (const [name, load] of Object.entries(commands)) {
    const { command } = await load();
    first[name] = command.summary;
    if (!("actions" in command)) {
      entries.push({ path: name, words: {}, flags: { ...command.flags, ...COMMON_FLAGS } });
      continue;
    }
    const actions = Object.entries(command.actions);
    const words = Object.fromEntries(actions.map(([action, { summary }]) => [action, summary]));
    entries.push({ path: name, words, flags: {} });
    for (const [action, { flags }] of actions)
      entries.push({ path: `${name} ${action}`, words: {}, flags: { ...flags, ...COMMON_FLAGS } });
  }
  return [{ path: "", words: first, flags: { version: { help: "print the version" } } }, ...entries];
}
