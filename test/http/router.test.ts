import { describe, expect, it } from "vitest";
import { createRouter } from "../../emulator/http/router.ts";

const router = createRouter([
  { method: "GET", path: "/things", row: "list" },
  { method: "POST", path: "/things", row: "create" },
  { method: "GET", path: "/things/{id}", row: "get" },
  { method: "GET", path: "/things/recent", row: "recent" },
  { method: "GET", path: "/things/{id}/parts/{part}", row: "part" },
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
    const found = router.find(method, path);
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(expected);
  });
});
