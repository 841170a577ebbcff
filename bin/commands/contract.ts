import type { CommandGroup, Flags } from "../command.ts";

const REPORT_FLAGS: Flags = {
  profile: {
    value: "spec|observed",
    help: "check against the specification, or against the observed behaviour of the public service (default spec)",
  },
  strict: { help: "also fail on differences from the emulator's documented assumptions" },
  report: { value: "pretty|junit|json|md|html", help: "report format (default pretty)" },
  verbose: { help: "show all findings, not only the first five of each requirement" },
  output: { value: "<file>", help: "write the report to a file; the summary is still printed" },
};

const FLAGS: Flags = {
  target: {
    value: "<url>|container[:<image>]",
    help: "US base address of the server to test, or `container` to start the image trace-platform-emulator with Docker, or another image (default: an emulator in this process)",
  },
  "eu-url": { value: "<url>", help: "its EU base address" },
  "agent-url": {
    value: "<url>",
    help: "base address of its agent server if separate; without --target only that one is tested",
  },
  world: {
    value: "<id>",
    help: "with --target: test this existing world of the emulator, such as main (default: a new one for the run)",
  },
  assistant: {
    value: "<name>",
    help: "assistant used for runs: its id, graph or name (default: echo, or the first one if echo does not exist)",
  },
  "api-key": {
    value: "<key>",
    help: "API key (default: generated for a local server; any other server needs one)",
  },
  "tenant-id": { value: "<uuid>", help: "workspace of the calls" },
  header: {
    value: "<name: value>",
    help: "header of every request, such as `Authorization: Bearer …`; may be given several times",
    many: true,
  },
  destination: { value: "<id>", help: "destination of the server, for exports (default: a new one)" },
  session: { value: "<id>", help: "tracing project of the server, for exports (default: a new one)" },
  thread: { value: "<id>", help: "thread of the server, for runs (default: a new one)" },
  implements: {
    value: "<section|operation>",
    help: "section, such as 4.8, or operation, such as `POST /runs/stream`, that the server has: a 404 there is then a mistake (FAIL), not a missing feature (UNSUPPORTED); may be given several times",
    many: true,
  },
  adapter: {
    value: "<url>",
    help: "address of an adapter for a server that is not an emulator: its routes /clock, /restart and /reset advance the clock, restart the server with other settings and empty it",
  },
  wait: { value: "<seconds>", help: "how long to wait for an export or run to end (default 10)" },
  s3: {
    value: "<url>",
    help: "object store to export to, or `aws` for Amazon S3 (default: that of an emulator; for another server, the cases that read files are skipped)",
  },
  "s3-bucket": { value: "<name>", help: "bucket there (default traces)" },
  "s3-region": { value: "<name>", help: "region of the bucket (default us-east-1)" },
  "s3-access-key-id": { value: "<id>", help: "access key (default: AWS_ACCESS_KEY_ID)" },
  "s3-secret-access-key": { value: "<secret>", help: "its secret (default: AWS_SECRET_ACCESS_KEY)" },
  "allow-writes": { help: "create and change things on a server that is not local" },
  "compare-api-key": {
    value: "<key>",
    help: "API key of the server at --compare, with --target (without --target, use --api-key)",
  },
  budget: { value: "<n>", help: "maximum number of requests (default: unlimited locally, 2000 elsewhere)" },
  compare: {
    value: "<url>",
    help: "send the same requests to a second server and print only the differences; exit code 3 if there are any",
  },
  oracle: {
    value: "tables|prism",
    help: "validate replies with the emulator's own schemas (default), or with Prism, an independent validator that you install",
  },
  seed: { value: "<n>", help: "seed of ids and generated requests (default 1)" },
  shard: { value: "<i/n>", help: "run the i-th of n parts; `report merge` combines their JSON reports" },
  baseline: {
    value: "<report.json>",
    help: "an earlier report of `contract run`, written with --report json: fail only on findings that it does not have",
  },
  bail: { help: "stop at the first case that fails" },
  ...REPORT_FLAGS,
};

const CHECK_FLAGS: Flags = {
  target: {
    value: "<url>",
    help: "base address of a server: check only requests to it; may be given several times (default: all whose path is part of the API)",
    many: true,
  },
  ...REPORT_FLAGS,
  config: {
    value: "<file>",
    help: "configuration file; only limits.recording_file_bytes, the size of the largest input file, is used",
  },
};

const SELECTORS = ["[section…]"];

/** Each action loads its part of the harness on demand. */
export const command: CommandGroup = {
  summary: "test a server against the specification",
  actions: {
    run: {
      summary:
        "run the contract cases (tests against the specification), or some of them, by section or id, such as 5, 6.1 or 4.1/limit",
      operands: SELECTORS,
      flags: FLAGS,
      run: async (invocation) => (await import("../contract/run.ts")).run(invocation, invocation.operands),
    },
    check: {
      summary:
        "check recorded requests and replies against the specification: HAR files, or replies to `GET /_emulator/v1/recording` (NDJSON)",
      operands: ["<file…>"],
      flags: CHECK_FLAGS,
      run: async (invocation) => (await import("../contract/check.ts")).checkFiles(invocation),
    },
    list: {
      summary: "list the contract cases",
      operands: SELECTORS,
      flags: {},
      run: async (invocation) => (await import("../contract/list.ts")).list(invocation, invocation.operands),
    },
    coverage: {
      summary: "list the requirements of the specification with the contract cases that cover them",
      operands: SELECTORS,
      flags: {},
      run: async (invocation) =>
        (await import("../contract/coverage.ts")).showCoverage(invocation, invocation.operands),
    },
  },
};
