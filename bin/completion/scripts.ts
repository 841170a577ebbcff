import type { Flag } from "../command.ts";
import type { Entry } from "./entries.ts";

/** The script that `source <(emulator completion bash)` reads. */
export function bashScript(entries: readonly Entry[]): string {
  return `_emulator() {
  local key="" word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
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
export function zshScript(entries: readonly Entry[]): string {
  return `#compdef emulator
_emulator() {
  local key="" word="\${words[CURRENT]}" before="\${words[CURRENT-1]}"
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

/** The same for fish, with what each word does. */
export function fishScript(entries: readonly Entry[]): string {
  return entries
    .flatMap(({ path, words, flags }) => [
      ...Object.entries(words).map(
        ([word, help]) => `complete -c emulator -f ${conditionAt(path)} -a ${word} -d ${quoted(help)}`,
      ),
      ...Object.entries(flags).map(
        ([name, flag]) =>
          `complete -c emulator ${conditionAt(path)} -l ${name}${valueInFish(flag)} -d ${quoted(flag.help)}`,
      ),
    ])
    .join("\n");
}

/** What may be offered after each command or action, and instead of it after a flag that takes a value. */
function cases(entries: readonly Entry[]): string {
  return entries
    .map(({ path, words, flags }) => {
      const offered = [...Object.keys(words), ...Object.keys(flags).map((flag) => `--${flag}`)];
      // Of a command without actions any further words may follow.
      const isOpen = path !== "" && !path.includes(" ") && Object.keys(words).length === 0;
      const values = Object.entries(flags)
        .filter(([, { value }]) => value !== undefined)
        .map(([name, flag]) => `--${name}) offered="${choicesOf(flag).join(" ")}" ;;`);
      const given = values.length === 0 ? "" : ` case "$before" in ${values.join(" ")} esac`;
      const pattern = `"${path}"${isOpen ? ` | "${path} "*` : ""}`;
      return `    ${pattern}) offered="${offered.join(" ")}";${given} ;;`.replace("; ;;", " ;;");
    })
    .join("\n");
}

/** The values that a flag can have, where they are few; none where anything may follow, such as a file. */
function choicesOf({ value = "", words }: Flag): readonly string[] {
  return words ?? (/^[\w-]+(\|[\w-]+)+$/.test(value) ? value.split("|") : []);
}

function valueInFish(flag: Flag): string {
  if (flag.value === undefined) return "";
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
