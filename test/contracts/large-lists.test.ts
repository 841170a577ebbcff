import { expect, it, onTestFinished } from "vitest";
import { createAddressTarget, runContracts } from "../../contracts/index.ts";
import { play } from "../../contracts/model/play.ts";
import { idOf, RUNS, run, THREAD } from "./recorded-bodies.ts";
import { type Answer, tinyServer } from "./stub-server.ts";

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

async function target() {
  const server = await tinyServer(answer);
  const open = await createAddressTarget({
    url: server.url,
    threadId: THREAD,
    allowWrites: false,
    waitMs: 0,
  });
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

it("the model agrees with it", async () => {
  const { difference } = await play(await target(), { seed: 1, requests: 200 });
  expect(difference).toBeUndefined();
});
