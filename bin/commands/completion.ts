import {
  COMMON_FLAGS,
  type Command,
  type CommandGroup,
  type CommandTable,
  type Flag,
  type Flags,
} from "../command.ts";
import {
  FLAG_VALUES,
  OPERAND_VALUES,
  OPERAND_WORDS,
  type ValueKind,
  valuesCommand,
} from "../completion-values.ts";
import { print } from "../terminal.ts";

/** The command that prints completion scripts for the commands of a table. */
export function completionOf(commands: CommandTable): { readonly command: CommandGroup } {
  const scriptCommand = (summary: string, script: (entries: readonly Entry[]) => string): Command => ({
    summary,
    operands: [],
    flags: {},
    async run({ flags }) {
      const text = script(await completionEntries(commands));
      print(flags.json === true ? JSON.stringify({ script: text }) : text.split("\n"));
      return 0;
    },
  });
  return {
    command: {
      summary: "print a script that completes commands, actions and flags in a shell",
      actions: {
        bash: scriptCommand("for bash: `source <(emulator completion bash)`", bashScript),
        zsh: scriptCommand("for zsh: `source <(emulator completion zsh)`, after compinit", zshScript),
        fish: scriptCommand("for fish: `emulator completion fish | source`", fishScript),
        values: valuesCommand,
      },
    },
  };
}

/** The words and flags that may follow the words so far. */
interface Entry {
  /** For example `world` or `world list`; empty for the first word. */
  readonly path: string;
  /** Commands or actions with their summaries. */
  readonly words: Readonly<Record<string, string>>;
  readonly flags: Flags;
}

/** Every command and action of the table. */
async function completionEntries(commands: CommandTable): Promise<readonly Entry[]> {
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

/** The script that `source <(emulator completion bash)` reads. */
function bashScript(entries: readonly Entry[]): string {
  return `_emulator() {
  local program="\${COMP_WORDS[0]}" key="" word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  # Of --clock=frozen, bash makes three words.
  if [ "$word" = "=" ]; then word=""
  elif [ "$before" = "=" ]; then before="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  [ "$COMP_CWORD" -gt 1 ] && key="\${COMP_WORDS[1]}"
  [ "$COMP_CWORD" -gt 2 ] && key="$key \${COMP_WORDS[2]}"
  local offered=""
  case "$key" in
${cases(entries)}
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$word"))
}
complete -o default -F _emulator emulator`;
}

/** The same for zsh, where completion has to be on (\`autoload -U compinit && compinit\`). */
function zshScript(entries: readonly Entry[]): string {
  return `#compdef emulator
_emulator() {
  local program="\${words[1]}" key="" word="\${words[CURRENT]}" before="\${words[CURRENT-1]}"
  if [[ "$word" == --*=* ]]; then
    before="\${word%%=*}"
    compset -P '*='
  fi
  (( CURRENT > 2 )) && key="\${words[2]}"
  (( CURRENT > 3 )) && key="$key \${words[3]}"
  local offered=""
  case "$key" in
${cases(entries)}
  esac
  [[ -n "$offered" ]] && compadd -- \${=offered} && return
  _files
}
compdef _emulator emulator`;
}

/** The same for fish, with a description of each word. */
function fishScript(entries: readonly Entry[]): string {
  return entries
    .flatMap(({ path, words, flags }) => [
      ...Object.entries(words).map(
        ([word, help]) => `complete -c emulator -f ${conditionAt(path)} -a ${word} -d ${quoted(help)}`,
      ),
      ...Object.entries(flags).map(
        ([name, flag]) =>
          `complete -c emulator ${conditionAt(path)} -l ${name}${valueInFish(name, flag)} -d ${quoted(flag.help)}`,
      ),
      ...operandsInFish(path),
    ])
    .join("\n");
}

/** The offered words after each command or action, and after a flag that takes a value. */
function cases(entries: readonly Entry[]): string {
  return entries
    .map(({ path, words, flags }) => {
      const offered = [...Object.keys(words), ...Object.keys(flags).map((flag) => `--${flag}`)];
      // Of a command without actions any further words may follow.
      const isOpen = path !== "" && !path.includes(" ") && Object.keys(words).length === 0;
      const values = Object.entries(flags)
        .filter(([, { value }]) => value !== undefined)
        .map(
          ([name, flag]) =>
            `--${name}) offered="${[...choicesOf(flag), ...ofEmulator(FLAG_VALUES[name])].join(" ")}" ;;`,
        );
      const operands = [...(OPERAND_WORDS[path] ?? []), ...ofEmulator(OPERAND_VALUES[path])];
      if (operands.length > 0)
        values.push(`*) case "$word" in -*) ;; *) offered="$offered ${operands.join(" ")}" ;; esac ;;`);
      const valueCases = values.length === 0 ? "" : ` case "$before" in ${values.join(" ")} esac`;
      const pattern = `"${path}"${isOpen ? ` | "${path} "*` : ""}`;
      return `    ${pattern}) offered="${offered.join(" ")}";${valueCases} ;;`.replace("; ;;", " ;;");
    })
    .join("\n");
}

/** A call of the command that is completed, for what its emulator has. */
function ofEmulator(kind: ValueKind | undefined): readonly string[] {
  return kind === undefined ? [] : [`$("$program" completion values ${kind} 2>/dev/null)`];
}

/** The values that a flag can have, where they are few; none where anything may follow, such as a file. */
function choicesOf({ value = "", words }: Flag): readonly string[] {
  return words ?? (/^[\w-]+(\|[\w-]+)+$/.test(value) ? value.split("|") : []);
}

function operandsInFish(path: string): readonly string[] {
  const kind = OPERAND_VALUES[path];
  const words = kind === undefined ? OPERAND_WORDS[path]?.join(" ") : callInFish(kind);
  return words === undefined ? [] : [`complete -c emulator -f ${conditionAt(path)} -a ${quoted(words)}`];
}

function callInFish(kind: ValueKind): string {
  return `(emulator completion values ${kind} 2>/dev/null)`;
}

function valueInFish(name: string, flag: Flag): string {
  if (flag.value === undefined) return "";
  const kind = FLAG_VALUES[name];
  if (kind !== undefined) return ` -x -a ${quoted(callInFish(kind))}`;
  const choices = choicesOf(flag);
  return choices.length === 0 ? " -r" : ` -x -a ${quoted(choices.join(" "))}`;
}

function conditionAt(path: string): string {
  if (path === "") return "-n __fish_use_subcommand";
  return `-n ${quoted(
    path
      .split(" ")
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join("; and "),
  )}`;
}

function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, "\\$&")}'`;
}
