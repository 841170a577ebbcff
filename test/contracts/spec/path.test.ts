import { describe, expect, it } from "vitest";
import { createRouter, segmentsBeforeSlash, segmentsOf } from "../../../contracts/spec/path.ts";

const router = createRouter(() => [
  { methods: ["GET"], path: "/things", row: "list" },
  { methods: ["POST"], path: "/things", row: "create" },
  { methods: ["GET"], path: "/things/{id}", row: "get" },
  { methods: ["GET"], path: "/things/recent", row: "recent" },
  { methods: ["GET"], path: "/things/{id}/parts/{part}", row: "part" },
]);

describe("the router", () => {
  it.each([
    ["GET", "/things", { row: "list", parameters: {} }],
    ["POST", "/things", { row: "create", parameters: {} }],
    ["GET", "/things/7", { row: "get", parameters: { id: "7" } }],
    ["GET", "/things/recent", { row: "recent", parameters: {} }],
    ["GET", "/things/recent/parts/2", { row: "part", parameters: { id: "recent", part: "2" } }],
    ["GET", "/things/a%2Fb", { row: "get", parameters: { id: "a/b" } }],
    ["GET", "/things/%ff", { row: "get", parameters: { id: "%ff" } }],
    ["DELETE", "/things", { allow: ["GET", "POST"] }],
    ["GET", "/things/", undefined],
    ["GET", "/things/7/", undefined],
    ["GET", "//things", undefined],
    ["GET", "/", undefined],
    ["GET", "/things/7/parts", undefined],
  ])("%s %s", (method, path, expected) => {
    const match = router.find(method, segmentsOf(path));
    if (expected === undefined) expect(match).toBeUndefined();
    else expect(match).toMatchObject(expected);
  });
});

describe("a template with ** or without methods", () => {
  const rows = createRouter(() => [
    { path: "/any/**", row: "under" },
    { methods: ["POST"], path: "/**/end", row: "ending" },
    { path: "/**/mid/**", row: "containing" },
    { methods: ["GET"], path: "/any/{one}", row: "one" },
    { path: "/again/**", row: "under" },
  ]);

  it.each([
    ["GET", "/any", ["under"]],
    ["GET", "/any/x/y", ["under"]],
    ["GET", "/any/x", ["under", "one"]],
    ["POST", "/any/x", ["under"]],
    ["POST", "/end", ["ending"]],
    ["GET", "/end", []],
    ["POST", "/any/mid/mid/end", ["under", "ending", "containing"]],
    ["GET", "/a/mid/b", ["containing"]],
    ["GET", "/anyone", []],
    ["GET", "/any//x", []],
    ["GET", "//mid", []],
  ])("%s %s fits %j, in the order of the routes", (method, path, expected) => {
    expect(rows.all(method, segmentsOf(path))).toEqual(expected);
  });

  it("comes after a literal and after one segment", () => {
    expect(rows.find("GET", segmentsOf("/any/x"))).toEqual({ row: "one", parameters: { one: "x" } });
    expect(rows.find("GET", segmentsOf("/any/x/y"))).toEqual({ row: "under", parameters: {} });
  });

  it("does not see one slash at the end where the caller leaves it out", () => {
    expect(rows.all("GET", segmentsBeforeSlash("/again/"))).toEqual(["under"]);
    expect(rows.all("GET", segmentsBeforeSlash("/again//"))).toEqual([]);
  });
});
