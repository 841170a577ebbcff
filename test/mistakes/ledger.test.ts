import { afterAll, expect, it } from "vitest";
import { REQUIREMENTS } from "../../contracts/spec/requirements.ts";
import { affected } from "./footprint.ts";
import { mistakes, type Row } from "./row.ts";
import { ROWS } from "./rows.ts";
import { casesAbout, closeServers, noticedBy } from "./servers.ts";
import { rewriteReply } from "./wire.ts";

const ALL: readonly Row[] = Object.values(ROWS).flat();

afterAll(closeServers);

it("each shown requirement has a mistake", () => {
  const wrong = ALL.filter(({ finds }) => finds !== "nothing");
  const covered = new Set(
    wrong.flatMap(({ about }) => [
      ...about.split(" "),
      ...(about.includes("/") ? casesAbout(about).flatMap(({ requirements }) => requirements) : []),
    ]),
  );
  const facts = Object.entries(REQUIREMENTS).filter(([, { kind }]) => kind === "S");
  expect(facts.map(([id]) => id).filter((id) => !covered.has(id))).toEqual([]);
});

it("each row has a title of its own", () => {
  const titles = ALL.map(({ about, does, finds }) => `${about} ${does} ${finds}`);
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
});

const [harmless, stumbling, broken] = mistakes({
  "4.1/order: harmless": (next) => next,
  "4.1/order: stumbling": () => () => Promise.reject(new TypeError("no")),
  "4.1/order: broken": rewriteReply(["GET", /^\/threads\//], (reply) => ({ ...reply, status: 503 })),
}) as readonly [Row, Row, Row];

it("nothing is noticed if nothing is wrong, or if the harness fails", async () => {
  expect(await noticedBy(harmless)).toBeUndefined();
  expect(await noticedBy(stumbling)).toBeUndefined();
});

it("a change has an effect on the cases that send such requests", async () => {
  const cases = casesAbout("4.1/order 1/health");
  const exchange = (path: string) =>
    [
      { region: "us", method: "GET", path, headers: {} },
      { status: 200, headers: {}, text: "[]" },
    ] as const;
  const footprints = new Map([
    ["4.1/order", [exchange("/threads/one/runs")]],
    ["1/health", [exchange("/ok")]],
  ]);
  expect((await affected(broken, cases, footprints)).map(({ id }) => id)).toEqual(["4.1/order"]);
  expect(await affected(harmless, cases, footprints)).toEqual([]);
});
