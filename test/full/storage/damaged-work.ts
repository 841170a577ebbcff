import type { Emulator } from "../../../emulator/runtime/index.ts";
import { HEADERS } from "../../support/emulator.ts";
import { traceRow } from "../../support/trace-row.ts";

const CONTROL = "/_emulator/v1";
const WINDOW = { start_time: "2026-02-25T00:00:00Z", end_time: "2026-02-28T00:00:00Z" };
const ROW = "00000009-0000-4000-8000-000000000009";
const DONE = ["COMPLETED", "FAILED"];

interface Run {
  readonly status: string;
  readonly errors: Record<string, string> | null;
}

/**
 * Works in the worlds of a folder, of which a file may be damaged: ingest, statistics, an export, an advance, a fork, a comparison and a
 * snapshot. `project` is the id of a project with rows, since a damaged world may not list its projects. Returns what no damage may cause: a defect, a world that does not answer, and an export that neither completes nor
 * fails with the name of a file.
 */
export async function problemsOfWork(
  emulator: Emulator,
  worlds: readonly string[],
  project: string,
): Promise<string[]> {
  const problems: string[] = [];

  async function send<T>(method: string, path: string, json?: unknown): Promise<T | undefined> {
    const reply = await emulator.request(path, {
      method,
      headers: HEADERS,
      ...(json !== undefined && { json }),
    });
    const text = await reply.text();
    if (reply.status >= 500) problems.push(`${method} ${path}: ${reply.status} ${text}`);
    const isExpected =
      reply.status === 200 || text.includes(reply.status === 404 ? "does not exist" : "pool/");
    if (path.endsWith("/ok") && !isExpected) problems.push(`${path}: ${reply.status} ${text}`);
    return reply.status < 300 && text.startsWith("[") !== text.startsWith("{") ? JSON.parse(text) : undefined;
  }

  async function exportRows(base: string, session_id: string, bulk_export_destination_id: string) {
    const body = { bulk_export_destination_id, session_id, ...WINDOW };
    const id = (await send<{ id: string }>("POST", `${base}/api/v1/bulk-exports`, body))?.id;
    await send("POST", `${base}${CONTROL}/clock/advance`, { by: "P1D" });
    if (id === undefined) return;
    for (const run of (await send<Run[]>("GET", `${base}/api/v1/bulk-exports/${id}/runs`)) ?? []) {
      const errors = JSON.stringify(run.errors);
      const isExplained = run.status === "COMPLETED" || errors.includes("pool/");
      if (!DONE.includes(run.status) || !isExplained) problems.push(`${base} ${run.status} ${errors}`);
    }
  }

  for (const world of worlds) {
    const base = world === "main" ? "" : `/w/${world}`;
    await send("POST", `${base}/runs/batch`, { post: [{ ...traceRow(ROW, "late"), session_name: "late" }] });
    const destinations = await send<{ id: string }[]>("GET", `${base}/api/v1/bulk-exports/destinations`);
    const [destination] = destinations ?? [];
    await send("POST", `${base}/runs/stats`, { session: [project] });
    if (destination) await exportRows(base, project, destination.id);
    const copy = `copy-of-${world}`;
    await send("POST", `${CONTROL}/worlds`, { id: copy, from: world });
    await send("POST", `/w/${copy}/runs/batch`, { post: [traceRow(ROW.replaceAll("9", "8"), "later")] });
    await send("GET", `${base}${CONTROL}/worlds/${world}/diff?with=${copy}`);
    await send("GET", `/w/${copy}/ok`);
    await send("POST", `${base}${CONTROL}/snapshots`, { name: copy });
    await send("GET", `${base}/ok`);
  }
  return problems;
}
