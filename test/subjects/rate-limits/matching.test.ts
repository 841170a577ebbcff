import { describe, expect, it } from "vitest";
import { createRowFinder } from "../../../emulator/subjects/rate-limits/matching.ts";
import { limiterView } from "../../../emulator/subjects/rate-limits/view.ts";
import { limiterWith, NOW } from "./limiter.ts";

const UUID = "5a0f4a6e-4bf5-4d0c-9c3e-0c6f3c1f7a11";
const limiter = await limiterWith();

function decides(
  method: string,
  path: string,
  headers: { apiKey?: string; userId?: string } = { apiKey: "k" },
) {
  return limiter.decide({ ...headers, address: "10.0.0.1", region: "us", method, path }, NOW)?.row.id;
}

describe("which row decides (8.5-4)", () => {
  it.each([
    // A preflight is not the call that follows it.
    ["OPTIONS", "/auth", "system"],
    ["OPTIONS", "/runs/x/trigger", "system"],
    ["PUT", "/some/where/v1/metadata/submit", "system"],
    ["POST", "/v1/metadata/submit", "system"],
    // Any method, and paths below.
    ["POST", "/api/v1/auth", "auth_key"],
    ["POST", "/repos", "repos_key"],
    ["GET", "/api/v1/repos/someone/prompt", "repos_key"],
    ["GET", "/api/v1/generate", "generate_key"],
    ["POST", "/api/v1/commits/someone/prompt", "commits_key"],
    ["DELETE", "/api/v1/sessions", "deletion_key"],
    // Containing is containing: the text anywhere in the path; all other rows match whole segments.
    ["POST", "/flowcharts", "default_key"],
    ["POST", "/charts-new", "charts_key"],
    ["PATCH", "/api/v1/runs-of-today", "runs_patch"],
    ["GET", "/a/examples.json", "examples"],
    ["POST", "/a/charts/b/c", "charts_key"],
    ["GET", "/charts", "default_key"],
    ["GET", "/reposter", "default_key"],
    ["GET", "/authors", "default_key"],
    ["GET", "/a/auth", "default_key"],
    ["POST", "/charts", "charts_key"],
    ["PATCH", "/api/v1/a/runs", "runs_patch"],
    ["PATCH", "/a/runs/b", "runs_patch"],
    ["GET", "/api/v1/datasets/a/examples/b", "examples"],
    ["PATCH", "/a/rerun/b", "default_key"],
    ["GET", "/examples", "examples"],
    ["POST", "/examples", "default_key"],
    ["GET", "/a/public/download", "default_key"],
    ["GET", "/public/download/a.png", "public_download"],
    ["GET", "/info/more", "default_key"],
    ["DELETE", "/trigger", "deletion_key"],
    ["DELETE", "/a/trigger", "deletion_key"],
    ["HEAD", "/a/trigger", "default_key"],
    ["POST", "/a/trigger", "default_key"],
    ["GET", "/a/trigger/b", "default_key"],
    ["GET", "/untrigger", "default_key"],
    ["GET", "/sessions", "default_key"],
    ["POST", "/sessions", "default_key"],
    ["GET", "/metadata/submit", "default_key"],
    // One path, without the paths below it.
    ["POST", "/runs/", "runs_post"],
    ["POST", "/runs/other", "default_key"],
    ["GET", "/runs", "default_key"],
    ["POST", "/runs/query/validate", "default_key"],
    ["POST", "/feedback/tokens", "default_key"],
    ["GET", "/runs/query", "default_key"],
    ["GET", "/runs/not-a-uuid", "default_key"],
    ["GET", `/api/v1/runs/${UUID.toUpperCase()}`, "runs_lookup"],
    ["GET", "/nowhere", "default_key"],
    ["GET", `/runs/${UUID}/share`, "default_key"],
    ["POST", `/runs/${UUID}`, "default_key"],
    ["GET", "/runs/stats", "runs_stats"],
    // The prefixes of versions, and only those.
    ["POST", "/api/v2/runs/query", "runs_query_key"],
    ["POST", "/v2/runs/query", "runs_query_key"],
    ["POST", "/api/v3/runs/query", "default_key"],
    ["POST", "/api/runs/query", "default_key"],
    ["POST", "//api/v1//runs/query/", "runs_query_key"],
    ["POST", "/api/v1/beacon", "beacon"],
    ["POST", "/api/v1/v1/beacon", "default_key"],
    ["POST", "/beacon", "default_key"],
    ["GET", "/v1/beacon/x", "beacon"],
    // Beginning before ending before containing; the longer path before the shorter.
    ["GET", "/repos/a/trigger", "repos_key"],
    ["GET", "/repos/examples", "repos_key"],
    ["DELETE", "/examples/x/trigger", "deletion_key"],
    ["PATCH", "/runs/x/trigger", "runs_patch"],
    ["POST", "/charts/trigger", "charts_key"],
    ["GET", "/public/download/examples", "public_download"],
    ["POST", "/charts/v1/metadata/submit", "system"],
  ])("%s %s falls under %s", (method, path, row) => {
    expect(decides(method, path)).toBe(row);
  });

  it("counts every method on a trigger path under that assumption (8.5-6)", async () => {
    const wide = await limiterWith({}, { assumptions: { "rate_limit.trigger_methods": "every method" } });
    const rowFor = (method: string, path: string) =>
      wide.decide({ apiKey: "k", address: "10.0.0.1", region: "us", method, path }, NOW)?.row.id;
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
      expect(rowFor(method, "/runs/x/trigger")).toBe("deletion_key");
    expect(rowFor("OPTIONS", "/runs/x/trigger")).toBe("system");
    expect(rowFor("GET", "/sessions")).toBe("default_key");
    expect(limiterView(wide, NOW).rows.find(({ row }) => row === "deletion_key")?.match).toEqual([
      "DELETE /sessions",
      "*/trigger",
    ]);
    expect(limiterView(limiter, NOW).rows.find(({ row }) => row === "deletion_key")?.match).toEqual([
      "DELETE /sessions",
      "DELETE */trigger",
    ]);
  });

  it("counts v2 queries and look-ups by themselves in the profile observed, 300 in 10 seconds", async () => {
    const observed = await limiterWith({}, { profile: "observed" });
    for (const [method, path, spec, newer] of [
      ["POST", "/api/v2/runs/query", "runs_query_key", "runs_query_v2"],
      ["GET", `/v2/runs/${UUID}`, "runs_lookup", "runs_lookup_v2"],
      ["POST", "/api/v1/runs/query", "runs_query_key", "runs_query_key"],
      ["GET", `/runs/${UUID}`, "runs_lookup", "runs_lookup"],
    ] as const) {
      const call = { apiKey: "k", address: "10.0.0.1", region: "us", method, path };
      const decision = observed.decide(call, NOW);
      expect([decides(method, path), decision?.row.id]).toEqual([spec, newer]);
      if (spec === newer) continue;
      for (let count = 1; count < 300; count += 1) expect(observed.decide(call, NOW)?.admitted).toBe(true);
      expect(observed.decide(call, NOW)?.admitted).toBe(false);
      expect(observed.decide(call, NOW + 10_000)?.admitted).toBe(true);
    }
    const rowsOf = (each: typeof observed) => limiterView(each, NOW).rows.map(({ row }) => row);
    expect(rowsOf(observed)).toContain("runs_query_v2");
    expect(rowsOf(limiter)).not.toContain("runs_query_v2");
  });

  it.each(["/ok", "/livez", "/readyz"])("does not count %s, but its preflight", (path) => {
    expect(decides("GET", path)).toBeUndefined();
    expect(decides("GET", path, {})).toBeUndefined();
    expect(decides("OPTIONS", path)).toBe("system");
    expect(decides("GET", `/api/v1${path}`)).toBe("default_key");
  });

  it("takes the key of a request with both headers", () => {
    expect(decides("POST", "/runs/query", { apiKey: "k", userId: "u" })).toBe("runs_query_key");
    expect(decides("GET", "/nowhere", { apiKey: "k", userId: "u" })).toBe("default_key");
  });

  it("uses the default of a header only if no row names the path for it", () => {
    for (const request of [
      "POST /runs/multipart",
      "POST /runs/batch",
      `GET /runs/${UUID}`,
      `PATCH /runs/${UUID}`,
    ]) {
      const [method = "", path = ""] = request.split(" ");
      expect(decides(method, path, { userId: "u" })).toBe("default_user");
    }
    expect(decides("GET", "/repos", {})).toBe("catch_all");
    expect(decides("POST", "/runs/multipart", {})).toBe("catch_all");
    expect(decides("POST", "/runs/query", {})).toBe("catch_all");
  });

  it("counts by address in rows by address, regardless of the headers", () => {
    expect(decides("GET", "/info", { apiKey: "k" })).toBe("system");
    expect(decides("GET", "/public/download", { userId: "u" })).toBe("public_download");
  });

  it("does not remember one path for another", () => {
    const finder = createRowFinder(limiter.settings);
    for (let n = 0; n < 5_000; n += 1) finder.find("GET", `/repos/${n}`);
    expect(finder.find("GET", "/repos/1")[0]?.id).toBe("repos_key");
    // A path that ends in a uuid and the same path without it are two.
    expect(finder.find("GET", `/runs/${UUID}`)[0]?.id).toBe("runs_lookup");
    expect(finder.find("POST", `/runs/${UUID}`)[0]?.id).toBe("default_key");
    expect(finder.find("POST", "/runs/")[0]?.id).toBe("runs_post");
    expect(finder.find("GET", "/runs/")[0]?.id).toBe("default_key");
    expect(finder.find("GET", `/runs/${UUID.replaceAll("5", "6")}`)[0]?.id).toBe("runs_lookup");
    expect(finder.find("GET", `/runs/x${UUID}`)[0]?.id).toBe("default_key");
    expect(finder.find("POST", "/repos/1")).toEqual(finder.find("GET", "/repos/1"));
    expect(finder.find("DELETE", "/sessions/1")[0]?.id).toBe("deletion_key");
    expect(finder.find("GET", "/sessions/1")[0]?.id).toBe("default_key");
  });
});
