import { spawn } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type ClientName, clientSettings } from "../../../emulator/client/client-settings.ts";
import { BASE_ENVIRONMENT, outcomeOf } from "../../support/emulator-process.ts";
import { expectRefusals, openVerbs } from "../../support/verbs.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Programs of users, with nothing in their environment but the printed variables. */
const PROGRAMS: Partial<Record<ClientName, string>> = {
  aws: `
    const { S3Client, ListBucketsCommand } = require("@aws-sdk/client-s3");
    new S3Client().send(new ListBucketsCommand()).then(({ Buckets }) => console.log(Buckets[0].Name));`,
  langsmith: `
    const { Client } = require("langsmith");
    const { traceable } = require("langsmith/traceable");
    const client = new Client();
    traceable(async () => "answer", { client, name: "traced" })()
      .then(() => client.awaitPendingTraceBatches())
      .then(async () => { for await (const run of client.listRuns({ projectName: "default" })) console.log(run.name); });`,
  langgraph: `
    const { Client } = require("langgraph-sdk-2");
    const client = new Client({ apiUrl: process.env.LANGGRAPH_API_URL });
    client.threads.create().then(({ status }) => console.log(status));`,
  otel: `
    const { OTLPTraceExporter } = require("@opentelemetry/exporter-trace-otlp-proto");
    const { BasicTracerProvider, SimpleSpanProcessor } = require("@opentelemetry/sdk-trace-base");
    const spanProcessors = [new SimpleSpanProcessor(new OTLPTraceExporter())];
    const provider = new BasicTracerProvider({ spanProcessors });
    provider.getTracer("test").startSpan("traced").end();
    provider.shutdown().then(() => console.log("exported"));`,
};

const PRINTED = { aws: "traces", langsmith: "traced", langgraph: "idle", otel: "exported" };

function runProgram(words: readonly string[], cwd: string, variables: Readonly<Record<string, string>> = {}) {
  const [program = "", ...rest] = words;
  return outcomeOf(spawn(program, rest, { cwd, env: { ...BASE_ENVIRONMENT, ...variables } }));
}

describe("emulator env --for", () => {
  it("prints variables, a function with the flags that a program needs, and notes last", async () => {
    const { lines, emulator } = await openVerbs();
    const printed = await lines("env", "--for", "aws");
    expect(printed.slice(0, 6)).toEqual([
      `export AWS_ENDPOINT_URL_S3='${emulator.s3Url}'`,
      "export AWS_ACCESS_KEY_ID='emulator'",
      "export AWS_SECRET_ACCESS_KEY='emulator-secret'",
      "export AWS_REGION='us-east-1'",
      "export AWS_DEFAULT_REGION='us-east-1'",
      `aws() { command aws '--endpoint-url' '${emulator.s3Url}' "$@"; }`,
    ]);
    const notes = printed.slice(6);
    expect(notes.every((line) => line.startsWith("# "))).toBe(true);
    expect(notes[0]).toContain("ignore `AWS_ENDPOINT_URL_S3` and contact the real service");
    expect(notes[1]).toContain(`add \`--endpoint-url ${emulator.s3Url}\` to each command`);
  });

  it("prints lines for eval", async () => {
    const { run, emulator, cwd } = await openVerbs();
    writeFileSync(join(cwd, "settings"), (await run("env", "--for", "s3cmd")).stdout);
    writeFileSync(join(cwd, "s3cmd"), '#!/bin/sh\necho "$AWS_ACCESS_KEY_ID" "$@"\n');
    chmodSync(join(cwd, "s3cmd"), 0o755);
    const { host } = new URL(emulator.s3Url);
    expect(await runProgram(["sh", "-c", 'PATH=.:$PATH; eval "$(cat settings)"; s3cmd ls'], cwd)).toEqual({
      code: 0,
      stdout: `emulator --host=${host} --host-bucket=${host} --no-ssl ls\n`,
      stderr: "",
    });
  });

  it("prints JSON for programs", async () => {
    const { json, emulator } = await openVerbs();
    expect(await json("env", "--for", "pyarrow")).toEqual({
      variables: {
        AWS_ENDPOINT_URL_S3: emulator.s3Url,
        AWS_ENDPOINT_URL: emulator.s3Url,
        AWS_ACCESS_KEY_ID: "emulator",
        AWS_SECRET_ACCESS_KEY: "emulator-secret",
        AWS_REGION: "us-east-1",
        AWS_DEFAULT_REGION: "us-east-1",
      },
      flags: [],
      notes: [
        expect.stringContaining("s3://"),
        expect.stringContaining(`S3FileSystem(endpoint_override="${emulator.s3Url}")`),
      ],
    });
  });

  it("refuses a world that s3cmd cannot reach", async () => {
    const verbs = await openVerbs();
    await verbs.lines("world", "create", "side");
    await expectRefusals(verbs, [["env --for s3cmd --world side", "s3cmd cannot reach the world side"]]);
    const endpoint = `export RCLONE_CONFIG_EMULATOR_ENDPOINT='${verbs.emulator.s3Url}/w/side'`;
    expect(await verbs.lines("env", "--for", "rclone", "--world", "side")).toContain(endpoint);
  });

  it.each(Object.entries(PROGRAMS))("configures the JavaScript client %s", async (name, program) => {
    const { json } = await openVerbs();
    const { variables } = await json<{ variables: Readonly<Record<string, string>> }>("env", "--for", name);
    const words = [process.execPath, "--no-warnings", "-e", program];
    expect(await runProgram(words, ROOT, variables)).toEqual({
      code: 0,
      stdout: `${PRINTED[name as keyof typeof PRINTED]}\n`,
      stderr: "",
    });
  });
});

it("the table names the installed versions of the JavaScript clients", () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const installed: Readonly<Record<string, string>> = { ...dependencies, ...devDependencies };
  const addresses = { url: "http://u", eu_url: "http://e", s3_url: "http://s" };
  const versionOf = (name: string) => installed[name]?.replace(/^npm:.*@/, "");
  for (const [name, packages] of Object.entries({
    aws: ["@aws-sdk/client-s3"],
    langsmith: ["langsmith"],
    langgraph: ["langgraph-sdk-1", "langgraph-sdk-2"],
    otel: ["@opentelemetry/exporter-trace-otlp-http"],
  } satisfies Partial<Record<ClientName, readonly string[]>>))
    for (const each of packages)
      expect(clientSettings(name as ClientName, addresses).checkedWith).toContain(versionOf(each));
});
