import { expect, it, onTestFinished } from "vitest";
import { createAddressTarget, runContracts } from "../../../contracts/index.ts";
import { idOf, NEW_THREAD, OTHER, RUNS, run, THREAD } from "../../contracts/recorded-bodies.ts";
import { type Answer, tinyServer } from "../../contracts/stub-server.ts";

const COUNT = 150;
const MAX_PAGE = 50;

const ALL_RUNS = Array.from({ length: COUNT }, (_, index) =>
  run(index, { status: index < 110 ? "success" : "error" }),
);
const ASSISTANTS = Array.from({ length: COUNT }, (_, index) => ({ assistant_id: idOf(index) }));
const STATUSES = ["pending", "error", "success", "timeout", "interrupted"];

const NAMES = Object.keys(run(0));

/** The list of §4.1 with a largest limit, which the specification does not show. */
function listOfRuns(query: URLSearchParams): ReturnType<Answer> {
  const [limit, offset] = [Number(query.get("limit") ?? 10), Number(query.get("offset") ?? 0)];
  const [status, select] = [query.get("status"), query.getAll("select")];
  const isPage = Number.isInteger(limit) && limit <= MAX_PAGE && limit >= 0 && offset >= 0;
  const isKnown = status === null || STATUSES.includes(status);
  if (!isPage || !isKnown || !select.every((name) => NAMES.includes(name)))
    return { status: 422, body: "The query is not valid." };
  const runs = ALL_RUNS.filter((each) => status === null || each.status === status);
  const isSelected = ([name]: readonly [string, unknown]) => select.length === 0 || select.includes(name);
  const page = runs.slice(offset, offset + limit);
  return {
    status: 200,
    body: page.map((each) => Object.fromEntries(Object.entries(each).filter(isSelected))),
  };
}

const answer: Answer = ({ method, path, body }) => {
  const [bare, search] = path.split("?");
  if (method === "GET" && bare === RUNS) return listOfRuns(new URLSearchParams(search));
  if (method === "POST" && path === "/assistants/search") {
    const { limit, offset } = body as { readonly limit: number; readonly offset: number };
    return { status: 200, body: ASSISTANTS.slice(offset, offset + limit) };
  }
  return { status: 404, body: "There is no such thread." };
};

async function target(
  to: Answer = answer,
  more: { threadId?: string; allowWrites?: boolean } = { threadId: THREAD },
) {
  const server = await tinyServer(to);
  const open = await createAddressTarget({ url: server.url, allowWrites: false, waitMs: 0, ...more });
  onTestFinished(async () => {
    await open.close();
    await server.close();
  });
  return open;
}

it("no case fails on a thread with more runs than a page, or on more assistants", async () => {
  const { results } = await runContracts(await target(), { select: ["4.1", "4.8/search"] });
  const failures = results.filter(({ verdict }) => verdict === "FAIL");
  expect(failures.map(({ id, findings }) => [id, findings.map(({ text }) => text)])).toEqual([]);
  const passed = results.filter(({ verdict }) => verdict === "PASS").map(({ id }) => id);
  expect(passed).toEqual(
    expect.arrayContaining(["4.1/paging", "4.1/pairs", "4.1/status-of-ended", "4.8/search"]),
  );
});

/** Each page has as many runs as are requested, all of them new. */
const inventRuns: Answer = ({ method, path }) => {
  const query = new URL(path, "http://localhost").searchParams;
  const [limit, offset] = [Number(query.get("limit") ?? 10), Number(query.get("offset") ?? 0)];
  const runs = Array.from({ length: limit }, (_, index) => run(offset + index));
  if (method === "GET" && path.startsWith(RUNS)) return { status: 200, body: runs };
  if (path === "/assistants/search") return { status: 200, body: [{ assistant_id: OTHER }] };
  if (method === "POST" && path.startsWith("/threads"))
    return { status: 200, body: path === "/threads" ? NEW_THREAD : run(0) };
  return { status: 404, body: "" };
};

it.each([
  ["a new thread", { allowWrites: true }, "FAIL", "the list has only runs that were started"],
  ["an existing thread", { threadId: THREAD }, "UNSUPPORTED", "needs a thread with fewer runs (--thread)"],
])("a server that invents runs of %s does not keep a run forever", async (_, more, verdict, message) => {
  const { results } = await runContracts(await target(inventRuns, more), { select: ["4.1/pairs"] });
  expect(results.map((result) => result.verdict)).toEqual([verdict]);
  expect(results[0]?.findings.map(({ text }) => text)).toContain(message);
});
