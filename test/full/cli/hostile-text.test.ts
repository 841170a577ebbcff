import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { expect, it } from "vitest";
import { COMMANDS } from "../../../bin/commands.ts";
import type { Drift } from "../../../contracts/engine/compare.ts";
import { comparisonReport } from "../../../contracts/report/comparison.ts";
import { REPORTERS, writeReport } from "../../../contracts/report/write.ts";
import { run } from "../../support/command-line.ts";
import { start, workingFolder } from "../../support/emulator-process.ts";
import { send } from "../../support/send.ts";
import { traceRow } from "../../support/trace-row.ts";
import { openVerbs, type Verbs } from "../../support/verbs.ts";

/** Text that clears a screen, forges lines and workflow commands, reverses what follows, and ends XML and code blocks. */
const HOSTILE =
  "\u001b[2J\n::error::forged\r\n  ::stop-commands::x\r\t\u0000\u0007\u009b31m\u202eabc\u2066\u200f\u2028##[error]x##vso[task]]]>\ufffe\ufeff```<img src=x>|";
/** The same as an argument, which cannot have a NUL. */
const TYPED = HOSTILE.replaceAll("\0", "");
/** No line of ours begins with the second one, so a line break of the text would have passed. */
const RAW = /[^\P{Cc}\n]|[\p{Bidi_Control}\p{Zl}\p{Zp}\ufeff\ufffe]|^\s*(?:::|\\u003a:error)|##(?:vso)?\[/mu;
const ROW = "00000000-0000-4000-8000-00000000beef";

/** Commands that print no text of a user: they end the emulator, start one of their own, or print tables of the package. */
const WITHOUT_TEXT = ["demo", "openapi", "reset", "stop", "help", "completion"];

/** A page shows when it was written. */
const withoutDate = (text: string) => text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<date>");

/** Output that a reader sees: no character acts, and no line begins a workflow command. */
function expectHarmless(text: string, where: string): void {
  expect(RAW.exec(text)?.[0], `${where}: ${JSON.stringify(text.slice(0, 4_000))}`).toBeUndefined();
}

interface Planted {
  readonly [name: string]: string;
}

/** Sends hostile text in every field that a user controls, where it is stored and where it is refused. */
async function plant(url: string): Promise<Planted> {
  const post = async (path: string, body: unknown, method = "POST") => {
    return (await send<Readonly<Record<string, string>>>(url, method, path, body)).body;
  };
  const control = (path: string, body: unknown, method?: string) =>
    post(`/_emulator/v1${path}`, body, method);
  const row = { ...traceRow(ROW, `run ${HOSTILE}`), session_name: `project ${TYPED}`, tags: [HOSTILE] };
  const details = { extra: { metadata: { [HOSTILE]: HOSTILE } }, error: HOSTILE, inputs: { q: HOSTILE } };
  const refusedRow = { ...row, id: HOSTILE };
  await post("/runs/batch", { post: [{ ...row, ...details }] });
  await post("/runs/batch", { post: [refusedRow] });
  const { id: project = "" } = await post("/api/v1/sessions", { name: HOSTILE, description: HOSTILE });
  const { id: destination = "" } = await post("/api/v1/bulk-exports/destinations", {
    destination_type: "s3",
    display_name: `destination ${HOSTILE}`,
    config: { bucket_name: "traces", prefix: `p${TYPED}`, region: "us-east-1" },
    credentials: { access_key_id: "emulator", secret_access_key: "emulator-secret" },
  });
  await post("/api/v1/bulk-exports/destinations", {
    display_name: HOSTILE,
    config: { bucket_name: HOSTILE },
  });
  const { thread_id: thread = "" } = await post("/threads", { metadata: { [HOSTILE]: HOSTILE } });
  const { assistant_id: assistant = "" } = await post("/assistants", {
    ...{ graph_id: "echo", name: HOSTILE, description: HOSTILE, metadata: { [HOSTILE]: HOSTILE } },
  });
  await post("/runs", { assistant_id: HOSTILE, input: {}, [HOSTILE]: HOSTILE });
  const webhook = `${url}/_emulator/inbox/one?${encodeURIComponent(HOSTILE)}`;
  await post(`/threads/${thread}/runs/wait`, { assistant_id: "echo", input: { q: HOSTILE }, webhook });
  await post("/runs", { assistant_id: "echo", input: {}, webhook: HOSTILE });
  await post("/runs/crons", { assistant_id: "echo", schedule: HOSTILE, metadata: { [HOSTILE]: HOSTILE } });
  const fault = { target: "http", then: { status: 503, body: HOSTILE } };
  await control("/faults", { ...fault, match: { path: `/threads${HOSTILE}` } });
  await control("/faults", { ...fault, match: { [HOSTILE]: HOSTILE } });
  await control("/worlds", { id: HOSTILE });
  await control("/snapshots", { name: HOSTILE });
  await control("/clock/advance", { by: HOSTILE });
  for (const path of ["/threads", "/api/v1/bulk-exports", "/none"])
    await post(`${path}/${encodeURIComponent(HOSTILE)}?${encodeURIComponent(HOSTILE)}`, undefined, "GET");
  return { project, destination, thread, assistant };
}

/** Every command that prints stored or typed text; those with an id read it before. */
function commandsOf(
  { thread = "" }: Planted,
  exportId: string,
  object: string,
): readonly (readonly string[])[] {
  return [
    ...[
      ["status"],
      ["env"],
      ["wait"],
      ["doctor"],
      ["logs", "--since", "0"],
      ["clock"],
      ["limits"],
      ["webhooks"],
    ],
    ...[
      ["traces", "query"],
      ["traces", "query", "--project", `project ${TYPED}`],
      ["fault", "list"],
    ],
    ["traces", "query", "--project", TYPED],
    ["traces", "send", `${TYPED}.json`],
    ...[
      ["export", "list"],
      ["export", "show"],
      ["export", "runs"],
      ["export", "why", ROW],
    ],
    ...[
      ["verify-export", exportId],
      ["s3", "ls"],
      ["s3", "ls", "traces"],
      ["s3", "rows", object],
    ],
    ...[
      ["why", exportId],
      ["why", thread, "--effects"],
      ["why", ROW],
      ["why", object],
    ],
    ...[
      ["world", "list"],
      ["world", "create", TYPED],
      ["world", "diff", "main", "other"],
    ],
    ...[
      ["snapshot", "list"],
      ["snapshot", "save", TYPED],
      ["snapshot", "import", TYPED],
    ],
    ...[
      ["webhooks", "check", `https://x/${TYPED}`],
      ["limits", "explain", "GET", `/threads/${TYPED}`],
    ],
    ...[["fault", "arm", TYPED], ["fault", "rm", TYPED], ["clock", "advance", TYPED], [TYPED]],
    ...[
      ["fault", "arm", "http", "--match", `path=/${TYPED}`, "--then", "status=503"],
      ["replay", TYPED],
    ],
    ...[
      ["start", "--config", TYPED],
      ["exec", "--", TYPED],
      ["init", TYPED],
      ["open", TYPED],
      ["report", "merge", TYPED],
    ],
    ...[
      ["contract", "list", TYPED],
      ["contract", "run", TYPED],
      ["contract", "check", TYPED],
      ["record", "--har", "seen.har", "--update"],
      ["contract", "check", "seen.har", "--strict", "--verbose"],
      ["replay", ".", "--only", TYPED],
    ],
  ];
}

it("no command prints stored or typed text that acts on a terminal, a log or a workflow", async () => {
  const verbs: Verbs = await openVerbs();
  await send(verbs.url, "POST", "/_emulator/v1/worlds", { id: "other" });
  const planted = await plant(verbs.url);
  for (const [name, id] of Object.entries(planted)) expect(id, name).toMatch(/^[0-9a-f-]{36}$/);
  const { export: bulkExport } = await verbs.json<{ export: { id: string } }>(
    ...["export", "create", "--destination", planted.destination ?? "", "--from", "2026-02-26"],
    ...["--to", "2026-02-27", "--project", `project ${TYPED}`],
  );
  await verbs.run("clock", "until", bulkExport.id);
  await verbs.run("clock", "advance", "1d");
  const scenario = `scenario: ${JSON.stringify(`A ${HOSTILE}`)}\nthen:\n  - request: ${JSON.stringify(`GET /threads/${HOSTILE}`)}\n    expect: { status: 200 }\n`;
  writeFileSync(join(verbs.cwd, "bad.scenario.yaml"), scenario);
  const files = await verbs.json<{ name: string }[]>("s3", "ls", "traces");
  const [file = ""] = files.map(({ name }) => name).filter((name) => name.endsWith(".parquet"));
  expect(file).toContain("\u202e");
  const commands = [...commandsOf(planted, bulkExport.id, file), ["replay", "."]];
  const unused = Object.keys(COMMANDS).filter((name) => !commands.some(([word]) => word === name));
  expect(unused).toEqual(WITHOUT_TEXT);
  let carriers = 0;
  for (const words of commands)
    for (const flags of [[], ["--json"]]) {
      const { stdout, stderr } = await verbs.run(...words, ...flags);
      const where = JSON.stringify([...words, ...flags]);
      expectHarmless(stdout, where);
      expectHarmless(stderr, where);
      if (/u202e/.test(stdout + stderr)) carriers += 1;
      if (flags.length === 0 || words[0] === "logs" || stdout === "") continue;
      expect(() => JSON.parse(stdout), where).not.toThrow();
    }
  // Else nothing was planted.
  expect(carriers).toBeGreaterThan(40);
  expect(await verbs.json("traces", "query")).toContainEqual(
    expect.objectContaining({ name: `run ${HOSTILE}` }),
  );
});

it.each(["text", "json"])("the log of requests in %s escapes what it repeats", async (format) => {
  const cwd = workingFolder();
  const words = ["--ephemeral", "--strict", "--log", "all", "--log-format", format];
  const { ready, child, ended } = await start(words, { cwd });
  await plant(ready.url);
  child.kill("SIGTERM");
  const { stdout, stderr } = await ended;
  expectHarmless(stdout, "log");
  expectHarmless(stderr, "errors");
  expect(stdout).toContain("u202e");
  expect(stderr).toContain("was never triggered");
});

/** Markdown without its blocks and spans of code, in which no tag acts, and without escaped characters. */
function proseOf(markdown: string): string {
  return markdown
    .replaceAll(/^ *(````+)[\s\S]*?^ *\1$/gm, "")
    .replaceAll(/\\./g, "")
    .replaceAll(/`[^`\n]*`/g, "");
}

const PLACE = { file: `/x${HOSTILE}`, line: 1 };
const FAILURE = { label: HOSTILE, place: PLACE, note: HOSTILE, differences: [HOSTILE], curl: HOSTILE };
const COMMON = { file: PLACE.file, durationMs: 1, again: HOSTILE };

const FINDING = {
  ...{ verdict: "FAIL", blame: "target", requirement: "4.4-1", section: "4.4", text: HOSTILE },
  ...{ expected: HOSTILE, actual: { [HOSTILE]: HOSTILE } },
  exchange: {
    ...{ region: "us", method: "GET", url: `http://x/${HOSTILE}`, requestHeaders: {}, status: 200 },
    ...{ replyHeaders: { x: HOSTILE }, replyBody: HOSTILE, curl: HOSTILE },
  },
};

const WHOLE = { index: 1, count: 1, plan: "0" };

/** A report of each command, as `--report json` writes it. */
const REPORTS = {
  replay: {
    scenarios: [
      {
        ...{ ...COMMON, name: HOSTILE, sentence: HOSTILE, verdict: "failed", steps: 1, failure: FAILURE },
        warnings: [HOSTILE],
      },
      {
        ...COMMON,
        file: "y",
        name: "y",
        sentence: HOSTILE,
        verdict: "broken",
        problem: TYPED.replaceAll("\n", " "),
        warnings: [],
      },
    ],
  },
  exploration: {
    exploration: {
      name: `--vary ${HOSTILE}`,
      results: [
        {
          ...{
            ...COMMON,
            subject: HOSTILE,
            trial: HOSTILE,
            section: "4.4",
            differs: HOSTILE,
            means: HOSTILE,
          },
          ...{ verdict: "differs", failure: FAILURE, differences: [HOSTILE] },
        },
      ],
      notRun: [{ subject: HOSTILE, trial: HOSTILE, why: HOSTILE }],
      refused: [{ subject: HOSTILE, why: HOSTILE }],
    },
  },
  contract: {
    ...{
      counts: {},
      target: HOSTILE,
      seed: 1,
      again: `contract run <case> ${HOSTILE}`,
      requests: 1,
      wallMs: 1,
    },
    results: [
      {
        ...{ id: "4.4/read", section: "4.4", title: HOSTILE, requirements: ["4.4-1"], verdict: "FAIL" },
        ...{ findings: [FINDING], checkedRequirements: ["4.4-1"], requests: 1, wallMs: 1 },
      },
    ],
  },
};

it("a report with a plan of its own words is refused", async () => {
  const cwd = workingFolder();
  const report = { part: { ...WHOLE, plan: HOSTILE }, ...REPORTS.contract };
  writeFileSync(join(cwd, "r.json"), JSON.stringify(report));
  const { stderr, code } = await run(["report", "merge", "r.json"], { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain("r.json does not say which part of a run it is");
  expectHarmless(stderr, "the refusal");
});

it.each(Object.entries(REPORTS))(
  "no report of a %s has text that acts on its reader",
  async (kind, report) => {
    const cwd = workingFolder();
    writeFileSync(join(cwd, "r.json"), JSON.stringify({ part: WHOLE, ...report }));
    for (const format of [...REPORTERS, ...(kind === "exploration" ? [] : ["html"])]) {
      const summary = join(cwd, `${format}-summary.md`);
      const env = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: summary };
      const words = ["report", "merge", "r.json", "--report", format];
      const { stdout } = await run(words, { cwd });
      const { stdout: counts, stderr } = await run([...words, "--output", format], { cwd, env });
      const text = readFileSync(join(cwd, format), "utf8");
      expect(withoutDate(text)).toBe(withoutDate(stdout));
      const where = `${kind} ${format}`;
      // The script and the style of the page are ours.
      expectHarmless(format === "html" ? (/<script type=.*/.exec(text)?.[0] ?? HOSTILE) : text, where);
      expectHarmless(counts, `${where} counts`);
      expect(stderr).toMatch(/^(::error (file|title)=.*\n)+$/);
      expectHarmless(stderr.replace(/^::error /gm, ""), `${where} annotations`);
      const markdown = readFileSync(summary, "utf8");
      expectHarmless(markdown, `${where} summary`);
      expect(proseOf(markdown), where).not.toContain("<img");
      if (format === "html" || format === "junit") expect(text, where).not.toContain("<img");
      if (format === "md") expect(text).toBe(markdown);
      if (format === "junit") {
        expect(XMLValidator.validate(text)).toBe(true);
        expect(JSON.stringify(new XMLParser({ ignoreAttributes: false }).parse(text))).toContain("u202e");
      }
      if (format === "json") expect(text).toContain(JSON.stringify(HOSTILE).slice(1, 12));
    }
  },
);

it("a comparison of servers escapes what they replied", () => {
  const drift = {
    ...{
      id: "4.4/read",
      title: HOSTILE,
      section: "4.4",
      requirement: "4.4-1",
      statement: HOSTILE,
      text: HOSTILE,
    },
    ...{ verdict: "FAIL", blame: "target", side: "first", first: HOSTILE, second: HOSTILE, curl: HOSTILE },
  } as const satisfies Drift;
  const model = comparisonReport({
    ...{ targets: [HOSTILE, HOSTILE], compared: 1, verdicts: { first: {}, second: {} }, differing: 1 },
    ...{ notCompared: 1, skipped: [{ reason: HOSTILE, cases: ["4.4/x"] }], drifts: [drift] },
  });
  for (const reporter of REPORTERS) expectHarmless(writeReport(model, reporter), reporter);
});
