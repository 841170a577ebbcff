import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Emulator } from "../../../emulator/runtime/index.ts";

const MODULES = fileURLToPath(new URL("../../../node_modules", import.meta.url));

/** Each operation that a client calls (`{}` is an id), and the type that the client publishes for its reply. */
export type ReplyTypes = Readonly<Record<string, string>>;

export const TRACING_TYPES: ReplyTypes = {
  "GET /sessions": "LangSmith.TracerSession[]",
  "GET /sessions/{}": "LangSmith.TracerSession",
  "POST /sessions": "LangSmith.TracerSession",
  "PATCH /sessions/{}": "LangSmith.TracerSession",
  "DELETE /sessions/{}": "object",
  "POST /runs/multipart": "object",
  "GET /runs/{}": "Schemas.Run",
  "POST /runs/query": "{ runs: Schemas.Run[]; cursors: { next?: string | null } }",
  "POST /runs/stats": "object",
  "POST /feedback": "Schemas.Feedback",
  "GET /feedback": "Schemas.Feedback[]",
  "GET /feedback/{}": "Schemas.Feedback",
  "PATCH /feedback/{}": "Schemas.Feedback",
  "DELETE /feedback/{}": "object",
  "POST /api/v2/runs/query": "Page<LangSmith.Run>",
  "GET /api/v2/runs/{}": "LangSmith.Run",
  "GET /api/v2/runs/{}/url": "LangSmith.RunGetURLResponse",
  "POST /api/v2/threads/query": "Page<LangSmith.Thread>",
  "GET /api/v2/threads/{}/traces": "Page<LangSmith.ThreadTrace>",
  "GET /api/v2/threads/{}/stats": "LangSmith.ThreadStats",
  "POST /api/v2/traces/query": "Page<LangSmith.Trace>",
  "GET /api/v2/traces/{}/runs": "LangSmith.TraceListRunsResponse",
};

export const AGENT_TYPES: ReplyTypes = {
  "POST /assistants": "Agent.Assistant",
  "POST /assistants/search": "Agent.Assistant[]",
  "POST /assistants/count": "number",
  "GET /assistants/{}": "Agent.Assistant",
  "PATCH /assistants/{}": "Agent.Assistant",
  "DELETE /assistants/{}": "undefined",
  "POST /assistants/{}/versions": "Agent.AssistantVersion[]",
  "POST /assistants/{}/latest": "Agent.Assistant",
  "GET /assistants/{}/graph": "Agent.AssistantGraph",
  "POST /threads": "Thread",
  "POST /threads/search": "Thread[]",
  "POST /threads/count": "number",
  "GET /threads/{}": "Thread",
  "PATCH /threads/{}": "Thread",
  "DELETE /threads/{}": "undefined",
  "POST /threads/{}/copy": "Thread",
  "GET /threads/{}/state": "Agent.ThreadState",
  "GET /threads/{}/state/{}": "Agent.ThreadState",
  "POST /threads/{}/state/checkpoint": "Agent.ThreadState",
  "POST /threads/{}/state": 'Pick<Agent.Config, "configurable">',
  "POST /threads/{}/history": "Agent.ThreadState[]",
  "POST /runs": "Agent.Run",
  "POST /runs/batch": "Agent.Run[]",
  "POST /runs/wait": "Streamed",
  "GET /threads/{}/runs": "Agent.Run[]",
  "POST /threads/{}/runs": "Agent.Run",
  "POST /threads/{}/runs/wait": "Streamed",
  "GET /threads/{}/runs/{}": "Agent.Run",
  "DELETE /threads/{}/runs/{}": "undefined",
  "GET /threads/{}/runs/{}/join": "Streamed",
  "POST /threads/{}/runs/{}/cancel": "undefined | object",
  "POST /threads/{}/runs/crons": "NewCron<Agent.CronCreateForThreadResponse>",
  "POST /runs/crons": "NewCron<Agent.CronCreateResponse>",
  "POST /runs/crons/search": "Agent.Cron[]",
  "POST /runs/crons/count": "number",
  "PATCH /runs/crons/{}": "Agent.Cron",
  "DELETE /runs/crons/{}": "undefined",
};

/** What a client was answered, from the emulator's recording. */
interface Exchange {
  readonly operation: string;
  readonly type: string;
  readonly reply: string;
}

/** The successful replies of operations of the table. Throws for an operation that the table lacks or that was not called. */
export async function exchangesOf(emulator: Emulator, types: ReplyTypes): Promise<readonly Exchange[]> {
  const [, ...lines] = (await (await emulator.request("/_emulator/v1/recording")).text()).trim().split("\n");
  const rows = Object.entries(types).map(([operation, type]) => ({
    operation,
    type,
    line: new RegExp(`^${operation.replaceAll("{}", "[^/]+")}$`),
  }));
  const exchanges: Exchange[] = [];
  for (const { method, path, status, reply } of lines.map((line) => JSON.parse(line))) {
    if (status >= 300) continue;
    const row = rows.find(({ line }) => line.test(`${method} ${path}`));
    if (!row) throw new Error(`${method} ${path} has no row in test/clients/reply-types.ts`);
    exchanges.push({ operation: row.operation, type: row.type, reply });
  }
  const calls = new Set(exchanges.map(({ operation }) => operation));
  const unused = Object.keys(types).filter((operation) => !calls.has(operation));
  if (unused.length > 0) throw new Error(`not called: ${unused.join(", ")}`);
  return exchanges;
}

/** What the compiler reports of replies that are not of their client's type, each with its operation. */
export async function typeProblems(exchanges: readonly Exchange[], preamble: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "reply-types-"));
  try {
    const checks = exchanges.flatMap(({ operation, type, reply }, index) => [
      `const reply${index} = ${reply ? `${reply} as const` : "undefined"};`,
      `export const typed${index}: Received<${type}> = reply${index}; // ${operation}`,
    ]);
    const source = [preamble, RECEIVED, ...checks].join("\n").replaceAll("MODULES", MODULES);
    writeFileSync(join(folder, "replies.ts"), source);
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: OPTIONS, files: ["replies.ts"] }),
    );
    const words = [join(MODULES, "typescript/bin/tsc"), "--noEmit", "--pretty", "false", "-p", folder];
    const output = await new Promise<string>((resolve) => {
      execFile(process.execPath, words, { maxBuffer: 2 ** 24 }, (_, stdout) => resolve(stdout));
    });
    return problemsOf(output, source.split("\n"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The innermost reason of each error: the compiler indents what an error follows from. */
function problemsOf(output: string, lines: readonly string[]): string[] {
  const problems: string[] = [];
  for (const line of output.split("\n")) {
    const [, number, text] = /^\S*replies\.ts\((\d+),\d+\): (.*)/.exec(line) ?? [];
    const operation = lines[Number(number) - 1]?.split("// ")[1];
    if (number) problems.push(`${operation ?? `line ${number}`}: ${text}`);
    else if (problems.length > 0 && line.startsWith(" "))
      problems.push(`${problems.pop()?.split(": ")[0]}: ${line.trim()}`);
  }
  return problems;
}

const OPTIONS = {
  strict: true,
  skipLibCheck: true,
  module: "nodenext",
  target: "es2023",
  types: [],
};

const RECEIVED = `
type Received<T> = T extends object ? { readonly [K in keyof T]: Received<OrNull<T[K]>> } : T;
/** JSON has no undefined: the service answers null. */
type OrNull<T> = undefined extends T ? T | null : T;
`;
