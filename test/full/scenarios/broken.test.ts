import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openInProcess } from "../../../bin/replay/in-process.ts";
import { readScenario } from "../../../scenarios/document.ts";
import type { Environments, ScenarioReply, ScenarioRequest } from "../../../scenarios/environment.ts";
import { replay, scenarioFiles } from "../../../scenarios/replay.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

type Json = Record<string, unknown>;

/** An emulator that is wrong: in its rules, in what it takes of a request, or in what it answers. */
interface Broken {
  readonly settings?: Readonly<Record<string, Json>>;
  readonly rewriteRequest?: (request: ScenarioRequest) => ScenarioRequest;
  readonly rewriteReply?: (answer: ScenarioReply, request: ScenarioRequest) => ScenarioReply;
}

const EXPORTS = /^\/api\/v1\/bulk-exports(\?|$)/;
const RUNS = /^\/threads\/[^/]+\/runs(\?|$)/;

const isAt = ({ method, path }: ScenarioRequest, expected: string, pattern: RegExp) =>
  method === expected && pattern.test(path);

/** Drops or changes fields of requests. */
function rewritingRequests(method: string, pattern: RegExp, change: (body: Json) => unknown): Broken {
  return {
    rewriteRequest: (request) =>
      isAt(request, method, pattern) && request.body !== undefined
        ? { ...request, body: JSON.stringify(change(JSON.parse(request.body))) }
        : request,
  };
}

/** Changes what is answered, one item after the other where it is a list. */
function rewritingReplies(method: string, pattern: RegExp, change: (body: Json) => unknown): Broken {
  return {
    rewriteReply: (answer, request) => {
      if (!isAt(request, method, pattern) || answer.status >= 300) return answer;
      const body = JSON.parse(answer.text);
      const rewritten = Array.isArray(body) ? body.map((item) => change(item)) : change(body);
      return { ...answer, text: JSON.stringify(rewritten) };
    },
  };
}

function rewritingStatus(pattern: RegExp, from: number, to: number, text: string): Broken {
  return {
    rewriteReply: (answer, request) =>
      pattern.test(request.path) && answer.status === from ? { ...answer, status: to, text } : answer,
  };
}

/** What each scenario is to notice, as somebody might get it wrong. */
const BROKEN: Readonly<Record<string, Broken>> = {
  "column-drift": rewritingRequests("POST", EXPORTS, ({ export_fields: _, ...body }) => body),
  "crash-resume-no-dup": { settings: { limits: { max_retries: 0 } } },
  "double-text": rewritingRequests("POST", RUNS, (body) => ({ ...body, multitask_strategy: "enqueue" })),
  "endpoint-matrix": rewritingRequests("POST", /\/destinations$/, ({ config, ...body }) => ({
    ...body,
    config: { ...(config as Json), include_bucket_in_prefix: false },
  })),
  "forty-six-days-queue": { settings: { limits: { max_concurrent_runs_per_export: 44 } } },
  "four-destination-errors": rewritingStatus(/\/destinations$/, 400, 400, '{"detail":"It does not work."}'),
  "late-run-missed": { settings: { timings: { spawn_grace: "PT20M" } } },
  "legacy-endpoints-end": rewritingStatus(/^\/runs\/query$/, 410, 200, '{"runs":[]}'),
  "list-runs-paging": {
    rewriteRequest: (request) => ({ ...request, path: request.path.replace(/offset=\d+/, "offset=0") }),
  },
  "one-partition-fails": { settings: { limits: { max_retries: 21 } } },
  "partial-files-while-running": { settings: { limits: { rows_per_file: 1_000 } } },
  "poller-final-statuses": rewritingReplies("GET", EXPORTS, (body) =>
    body.status === "TIMEDOUT" ? { ...body, status: "FAILED" } : body,
  ),
  "put-only-key": rewritingStatus(/\/destinations$/, 200, 400, '{"detail":"Access denied"}'),
  "rate-limit-without-loss": { settings: { rate_limits: { scale: 2 } } },
  "revoked-credentials-midway": rewritingReplies("GET", /\/runs$/, (body) => ({
    ...body,
    errors: { ...(body.errors as Json), retry_1: "Access denied" },
  })),
  "run-timeout-and-workflow-timeout": { settings: { limits: { workflow_timeout: "PT70H" } } },
  "running-is-no-filter": rewritingStatus(/status=running/, 422, 200, "[]"),
  "schedule-cancel-orphans": rewritingReplies("GET", EXPORTS, (body) =>
    body.status === "COMPLETED" ? { ...body, status: "CANCELLED" } : body,
  ),
  "schema-torture": rewritingReplies("GET", /\/verify$/, (body) => ({
    ...body,
    problems: ["a row is missing"],
  })),
  "sixteen-exports-queue": { settings: { limits: { max_concurrent_exports_per_workspace: 16 } } },
  "spawned-run-schedule": { settings: { timings: { spawn_grace: "PT9M" } } },
  "webhook-outage": rewritingReplies("GET", RUNS, (body) => ({ ...body, run_id: "lost" })),
  "webhook-twice-and-late": rewritingReplies("GET", /\/inbox\//, ({ body, ...message }) => ({
    ...message,
    body: { ...(body as Json), status: undefined },
  })),
  "webhook-url-policy": { settings: { webhooks: { url: { allowed_ports: [443, 3000] } } } },
};

let honest: Environments;

beforeAll(() => {
  honest = openInProcess();
});

afterAll(() => honest.close());

/** Wrong settings are laid over those of the scenario, group by group. */
function mergeSettings(settings: Readonly<Record<string, unknown>>, wrong: Broken["settings"] = {}) {
  const groups = Object.entries(wrong).map(([name, group]) => [
    name,
    Object.fromEntries(
      Object.entries({ ...(settings[name] as Json), ...group }).map(([key, value]) => [
        key,
        typeof value === "object" && !Array.isArray(value)
          ? { ...((settings[name] as Json | undefined)?.[key] as Json), ...(value as Json) }
          : value,
      ]),
    ),
  ]);
  return { ...settings, ...Object.fromEntries(groups) };
}

function brokenEnvironments({
  settings,
  rewriteRequest: takes = (request) => request,
  rewriteReply: answers = (answer) => answer,
}: Broken): Environments {
  return {
    ...honest,
    async open(setting) {
      const environment = await honest.open({
        ...setting,
        settings: mergeSettings(setting.settings, settings),
      });
      return {
        ...environment,
        request: async (request) => answers(await environment.request(takes(request)), request),
      };
    },
  };
}

describe("the shipped scenarios", () => {
  it("all run against an emulator with mistakes", () => {
    const names = scenarioFiles(["scenarios/shipped"], ROOT).map(
      (file) => /([^/]+)\.scenario/.exec(file)?.[1],
    );
    expect(names).toEqual(Object.keys(BROKEN));
  });

  it.each(Object.entries(BROKEN))("%s notices it", async (name, broken) => {
    const scenario = readScenario(`${ROOT}scenarios/shipped/${name}.scenario.yaml`);
    const [outcome] = await replay([scenario], {
      cwd: ROOT,
      jobs: 1,
      environments: brokenEnvironments(broken),
    });
    expect(outcome?.failure?.differences.join("\n")).toMatch(/\S/);
    expect(outcome?.verdict).toBe("failed");
  });
});
