import type { Entry } from "./entries.ts";

/** The script that `source <(emulator completion bash)` reads. */
export function bashScript(entries: readonly Entry[]): string {
  return `_emulator() {
  local key=""
  [ "$COMP_CWORD" -gt 1 ] && key="\${COMP_WORDS[1]}"
  [ "$COMP_CWORD" -gt 2 ] && key="$key \${COMP_WORDS[2]}"
  local words=""
  case "$key" in
${cases(entries)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _emulator emulator`;
}

/** The same for zsh, where completion has to be on (\`autoload -U compinit && compinit\`). */
export function zshScript(entries: readonly Entry[]): string {
  return `#compdef emulator
_emulator() {
  local key=""
  (( CURRENT > 2 )) && key="\${words[2]}"
  (( CURRENT > 3 )) && key="$key \${words[3]}"
  local offered=""
  case "$key" in
${cases(entries).replaceAll("words=", "offered=")}
  esac
  compadd -- \${=offered}
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
        ([flag, { value, help }]) =>
          `complete -c emulator ${conditionAt(path)} -l ${flag}${value === undefined ? "" : " -r"} -d ${quoted(help)}`,
      ),
    ])
    .join("\n");
}

/** Of a command without actions any further words may follow. */
function cases(entries: readonly Entry[]): string {
  return entries
    .map(({ path, words, flags }) => {
      const offered = [...Object.keys(words), ...Object.keys(flags).map((flag) => `--${flag}`)];
      const isOpen = path !== "" && !path.includes(" ") && Object.keys(words).length === 0;
      return `    "${path}"${isOpen ? ` | "${path} "*` : ""}) words="${offered.join(" ")}" ;;`;
    })
    .join("\n");
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
