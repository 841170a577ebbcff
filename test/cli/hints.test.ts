import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { calledCommand } from "../../bin/command-line.ts";
import { COMMANDS } from "../../bin/commands.ts";
import { COMMAND_FOR_REQUEST, toCliHints } from "../../bin/hints.ts";
import { programCall, programName } from "../../bin/program-name.ts";
import { OPERATIONS } from "../../contracts/spec/operations.ts";
import { CONTROL_OPERATIONS } from "../../emulator/control/gateway.ts";

const EMULATOR = fileURLToPath(new URL("../../emulator/", import.meta.url));

/** Requests of the control API that hints may name although no command does the same. */
const WITHOUT_A_COMMAND = [
  "DELETE /clock/advance",
  "GET /config",
  "GET /requests",
  "POST /agent/scripts",
  "POST /s3/buckets",
  "POST /s3/credentials",
  "GET /s3/credentials",
  "GET /agent/runs",
  "GET /workspaces",
];

/** All requests of the control API that the emulator's texts recommend. */
function requestsInHints(): readonly string[] {
  const files = readdirSync(EMULATOR, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !/^(console|client|entries)[\\/]/.test(file),
  );
  const code = files.map((file) => readFileSync(join(EMULATOR, file), "utf8")).join("\n");
  const hints = code.matchAll(/["'`(; ]((?:GET|POST|PUT|PATCH|DELETE) \/_emulator\/v1[\w/{}$-]*)/g);
  return [...new Set([...hints].map(([, request = ""]) => request))];
}

const withoutNames = (request: string) => request.replace(/\$?\{\w+\}/g, "{}").replace("/_emulator/v1", "");

describe("hints of the emulator on the command line", () => {
  it.each(Object.entries(COMMAND_FOR_REQUEST))("%s is `emulator %s`", async (request, verb) => {
    const names = [...CONTROL_OPERATIONS, ...Object.values(OPERATIONS)].map(
      ({ method, path }) => `${method} ${path}`,
    );
    expect(names.map(withoutNames)).toContain(withoutNames(request));
    const [name = "", ...words] = verb.split(" ");
    const load = COMMANDS[name];
    if (!load) throw new Error(`no command ${name}`);
    const called = calledCommand(name, (await load()).command, words);
    expect("command" in called && called.words.length).toBeLessThanOrEqual(1);
  });

  it("name a request of the control API only where no command exists", () => {
    const commands = Object.keys(COMMAND_FOR_REQUEST).map(withoutNames);
    const unknown = requestsInHints().filter((request) => !commands.includes(withoutNames(request)));
    expect(unknown.map(withoutNames).sort()).toEqual([...WITHOUT_A_COMMAND].sort());
  });

  it.each([
    ["GET /_emulator/v1/snapshots lists them.", "`emulator snapshot list` lists them."],
    [
      'POST /_emulator/v1/worlds {"id":…} makes one; GET /_emulator/v1/worlds lists them.',
      "`emulator world create` makes one; `emulator world list` lists them.",
    ],
    [
      "Remove one with DELETE /_emulator/v1/worlds/{id}, or raise",
      "Remove one with `emulator world rm <id>`, or raise",
    ],
    ["GET /_emulator/v1/s3/buckets/traces/objects lists them.", "`emulator s3 ls traces` lists them."],
    ["POST /_emulator/v1/agent/scripts takes them", "POST /_emulator/v1/agent/scripts takes them"],
    [
      "Known: GET /api/v1/bulk-exports, GET /openapi.json and others. GET /openapi.json lists them.",
      "Known: GET /api/v1/bulk-exports, GET /openapi.json and others. `emulator openapi` lists them.",
    ],
    ["GET /api/v1/bulk-exports/7/runs: 404", "GET /api/v1/bulk-exports/7/runs: 404"],
    ["GET /api/v1/bulk-exports?limit=1: 422", "GET /api/v1/bulk-exports?limit=1: 422"],
    ["within: only with until; match.at: no", "--within: only with until; --match at: no"],
    ["or give a longer `within`", "or give a longer --within"],
    [
      "query.path: must begin with /; body.user_id: no; body.other: no",
      "<path>: must begin with /; --user-id: no; body.other: no",
    ],
  ])("%s", (text, said) => {
    const help = { help: "" };
    expect(
      toCliHints(
        text,
        { flags: { within: help, match: help, "user-id": help }, operands: ["<path>"] },
        "emulator",
      ),
    ).toBe(said);
  });

  it("call the program as its user did", () => {
    expect(programName("/project/node_modules/.bin/emulator")).toBe("npx emulator");
    expect(programName("/usr/local/bin/emulator")).toBe("emulator");
    expect(programCall("/project/node_modules/.bin/emulator", "/project")).toBe("npx emulator");
    expect(programCall("/clone/dist/bin/emulator.js", "/clone")).toBe("node dist/bin/emulator.js");
  });
});
