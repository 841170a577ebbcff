import { CLIENT_NAMES, clientSettings } from "../../emulator/client/client-settings.ts";
import { code, page, plain, table } from "./markdown.ts";

const ADDRESSES = {
  url: "http://127.0.0.1:4700",
  eu_url: "http://127.0.0.1:4701",
  s3_url: "http://127.0.0.1:4702",
};

/** The clients of `emulator env --for`, with the settings that each needs. */
export function clientsPage(): string {
  const clients = CLIENT_NAMES.map((name) => ({ name, ...clientSettings(name, ADDRESSES) }));
  return page(
    "Clients",
    'Unmodified clients work with the emulator. `eval "$(npx emulator env --for <client>)"` sets the variables of one client in your shell, defines a shell function where the program needs flags, and prints the notes of this page as comments. ' +
      "With `--json` it prints the same for programs. [Command line](../understand/command-line.md) describes `env` without `--for`.",
    table(
      ["Client", "Packages", "Minimum version", "Checked with", "Variables and flags"],
      clients.map(({ name, packages, minimum = "–", checkedWith, variables, flags }) => [
        code(name),
        plain(packages),
        plain(minimum),
        plain(checkedWith),
        [...Object.entries(variables).map(([key, value]) => `${key}=${value}`), ...flagsOf(flags)]
          .map(code)
          .join(" "),
      ]),
    ),
    "A dash means that no limit is known; older versions were not checked. `npm run test:s3-clients` in the repository checks the S3 clients, and `npm run test:python-clients` the Python clients of traces and agents.",
    "## Notes",
    ...clients.flatMap(({ name, notes }) =>
      notes.length === 0 ? [] : [`${code(name)}:\n\n${notes.map((note) => `- ${note}`).join("\n")}`],
    ),
  );
}

function flagsOf(flags: readonly string[] | undefined): readonly string[] {
  return flags ? [flags.join(" ")] : [];
}
