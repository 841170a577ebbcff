import { type CaseRow, suite } from "../engine/case.ts";
import type { Contract, Reply } from "../engine/contract.ts";
import type { FuzzedRequest } from "../engine/target.ts";
import type { Operation } from "../spec/operation.ts";
import { OPERATIONS } from "../spec/operations.ts";
import type { RequirementId } from "../spec/requirements.ts";
import { DESTINATIONS, EXPORTS } from "./export-helpers.ts";

const REQUESTS = 10;
const RATE_LIMITED = 429;
/** They change objects that their request does not name: a foreign server may have some that the run did not create. */
const SWEEPING = new Set(["cancelRuns", "pruneThreads"]);
/** Which lists there are is asked by other cases. */
const LIST_OPTIONS = { mayLack: true };

/** The resources that callers can list, as one text. */
async function visible(t: Contract): Promise<string> {
  const texts: string[] = [];
  for (const path of [EXPORTS, DESTINATIONS, "/api/v1/sessions"])
    texts.push((await t.call("GET", path, LIST_OPTIONS)).text);
  for (const path of ["/threads/search", "/assistants/search", "/runs/crons/search"])
    texts.push((await t.call("POST", path, { body: { limit: 1000 }, ...LIST_OPTIONS })).text);
  return texts.join("\n");
}

async function send(t: Contract, { method, path, headers, body }: FuzzedRequest): Promise<Reply<unknown>> {
  const ask = () =>
    t.call<unknown>(method, path, {
      headers: { "content-type": null, ...headers },
      unchecked: true,
      ...(body !== undefined && { body }),
    });
  const reply = await ask();
  if (reply.status !== RATE_LIMITED || !t.has("control")) return reply;
  // A rate limit (§8.5) does not depend on the content of the request.
  await t.control("POST", "/rate-limits/reset", {});
  return ask();
}

/** §2.3 for the agent server, and our choice for the platform; where they share a path the body decides. */
function isShaped({ server, method, path, errors }: Operation, body: unknown): boolean {
  if (errors === "otlp") return typeof (body as { readonly message?: unknown } | null)?.message === "string";
  const isText = typeof body === "string" && body !== "";
  const isDetail = typeof (body as { readonly detail?: unknown } | null)?.detail === "string";
  // A mutated path that matches no operation is answered by the platform.
  const isShared = ROWS.some(
    ([, row]) => row.method === method && row.path === path && row.server !== server,
  );
  return server === "agent" || isShared ? isText || isDetail : isDetail;
}

function fuzzed(id: string, row: Operation): CaseRow {
  const first = row.requirements[0] as RequirementId;
  return {
    title: `malformed requests to ${row.method} ${row.path} cause no 5xx and change nothing`,
    requirements: [...new Set<RequirementId>([first, "7-1"])],
    needs: needsOf(id, row),
    async run(t) {
      // Of another server, only what the specification shows can be wrong.
      const expect = row.shown || t.has("control") ? t.fact : t.choice;
      const refusedRequests: FuzzedRequest[] = [];
      for (const request of await t.reach.fuzz(row, t.draw.integer(2 ** 31), REQUESTS)) {
        const { status, body, exchange } = await send(t, request);
        expect(first, status < 500 || status === 501, "no request causes a server error", {
          actual: status,
          exchange,
        });
        if (status < 400 || status >= 500 || status === RATE_LIMITED) continue;
        refusedRequests.push(request);
        t.choice("7-1", isShaped(row, body), "errors have the documented form", {
          actual: body,
          exchange,
        });
      }
      const before = await visible(t);
      for (const request of refusedRequests) await send(t, request);
      t.choice("7-1", (await visible(t)) === before, `a request that ${id} refuses changes nothing`);
    },
  };
}

function needsOf(id: string, { shown }: Operation): CaseRow["needs"] {
  if (SWEEPING.has(id)) return ["writes", "control"];
  return shown ? ["writes"] : ["writes", "ingest"];
}

const ROWS = Object.entries(OPERATIONS) as readonly [string, Operation][];

/** One case for each operation. */
export const FUZZ_CASES = suite(
  Object.fromEntries(ROWS.map(([id, row]) => [`7/fuzz-${slugOf(id)}`, fuzzed(id, row)])),
);

function slugOf(id: string): string {
  return id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
