import { readFileSync } from "node:fs";
import { CLIENT_NAMES, clientSettings } from "../../emulator/client/client-settings.ts";
import { code, page, plain, table } from "./markdown.ts";

/** The saved result of `npm run drift -- clients --save`. */
interface ClientDrift {
  readonly date: string;
  /** Added by hand: what was unusual in this run. */
  readonly remark?: string;
  readonly rows: readonly {
    readonly language: string;
    readonly versions: readonly string[];
    readonly calls: number;
    readonly failed: number;
    readonly requests: number;
    readonly notFound: Readonly<Record<string, number>>;
  }[];
}

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
    ...driftSection(),
  );
}

function driftSection(): readonly string[] {
  const { date, rows, remark }: ClientDrift = JSON.parse(
    readFileSync(new URL("client-drift.json", import.meta.url), "utf8"),
  );
  return [
    "## The newest clients",
    `\`npm run drift -- clients\` in the repository installs the newest clients, runs the calls of their quick starts and lists the paths that were answered with 404 or 405. Result of ${date}:`,
    table(
      ["Client", "Calls", "Failed", "Requests", "Answered with 404 (or as noted)"],
      rows.map(({ language, versions, calls, failed, requests, notFound }) => [
        plain(`${versions.join(", ")} (${language})`),
        String(calls),
        String(failed),
        requests === 0 ? "not logged" : String(requests),
        Object.entries(notFound)
          .map(([call, count]) => code(call.replace(/ 404$/, "")) + (count > 1 ? ` × ${count}` : ""))
          .join(", ") || "–",
      ]),
    ),
    ...(remark === undefined ? [] : [remark]),
    "Datasets, the prompt hub, the key-value store, annotation queues, feedback tokens, groups of runs, shared runs and assistant schemas are [not emulated](../understand/not-emulated.md). A call can also fail because of the world, for example when it cancels a run that has ended.",
  ];
}

function flagsOf(flags: readonly string[] | undefined): readonly string[] {
  return flags ? [flags.join(" ")] : [];
}
