import { describe, expect, it } from "vitest";
import { createSurface, unknownOperations } from "../../contracts/engine/surface.ts";

const THREAD = "0a91a355-8a88-422c-9546-72c183b95b5c";
const request = (method: string, path: string) => ({ region: "us", method, path, headers: {} }) as const;
const reply = (status: number, text: string) => ({ status, headers: { "content-type": "text/html" }, text });

/** Answers as a web framework does to what it does not know. */
const framework = ({ method, path }: { readonly method: string; readonly path: string }) =>
  reply(404, `<pre>Cannot ${method} ${path}</pre>`);

const surfaceOf = (answer = framework) => createSurface(async (request) => answer(request));

describe("which operations a server has", () => {
  it("is recognised by the 404 of a path that no server has", async () => {
    const surface = surfaceOf();
    const post = request("POST", "/threads");
    expect(surface.absent(post)).toBeUndefined();
    expect(await surface.absentAfter(post, framework(post))).toBe("POST /threads");
    expect(surface.absent(post)).toBe("POST /threads");
    const get = request("GET", `/threads/${THREAD}/runs?limit=1`);
    expect(await surface.absentAfter(get, reply(404, '"no such thread"'))).toBeUndefined();
    expect(await surface.absentAfter(get, framework(get))).toBeUndefined();
  });

  it("is recognised by 405 and 501 as well", async () => {
    for (const status of [405, 501])
      expect(await surfaceOf().absentAfter(request("POST", "/threads"), reply(status, ""))).toBe(
        "POST /threads",
      );
  });

  it("stays open where an id may be unknown, until it answers otherwise", async () => {
    const surface = surfaceOf(() => reply(404, '{"detail":"Not Found"}'));
    const get = request("GET", `/api/v1/bulk-exports/${THREAD}`);
    const missing = reply(404, '{"detail":"Not Found"}');
    expect(await surface.absentAfter(get, missing)).toBe("GET /api/v1/bulk-exports/{export_id}");
    expect(surface.absent(get)).toBeUndefined();
    await surface.absentAfter(get, reply(200, "{}"));
    expect(await surface.absentAfter(get, missing)).toBeUndefined();
  });

  it("is looked up at the address of the agent server for its operations", async () => {
    const requests: string[] = [];
    const surface = createSurface(async ({ path }) => {
      requests.push(path);
      return reply(404, path.startsWith("/threads") ? "agent: none" : "platform: none");
    });
    const post = request("POST", "/threads");
    expect(await surface.absentAfter(post, reply(404, "agent: none"))).toBe("POST /threads");
    const get = request("GET", "/api/v1/bulk-exports");
    expect(await surface.absentAfter(get, reply(404, "platform: none"))).toBe("GET /api/v1/bulk-exports");
    expect(requests).toHaveLength(2);
  });

  it("is looked up again after a connection that failed", async () => {
    let isDown = true;
    const surface = createSurface(async (each) => {
      if (isDown) throw new Error("no connection");
      return framework(each);
    });
    const get = request("GET", "/api/v1/bulk-exports");
    await expect(surface.absentAfter(get, framework(get))).rejects.toThrow("no connection");
    isDown = false;
    expect(await surface.absentAfter(get, framework(get))).toBe("GET /api/v1/bulk-exports");
  });

  it("can be stated: by the section of an operation, or by its method and path", async () => {
    const stream = request("POST", "/runs/stream");
    for (const word of ["4.8", "POST /runs/stream"]) {
      const surface = createSurface(async (each) => framework(each), [word]);
      expect(await surface.absentAfter(stream, framework(stream))).toBeUndefined();
      const list = request("GET", "/api/v1/bulk-exports");
      expect(await surface.absentAfter(list, framework(list))).toBe("GET /api/v1/bulk-exports");
    }
    expect(unknownOperations(["4.8", "POST /runs/stream", "POST /nonsense", "99"])).toEqual([
      "POST /nonsense",
      "99",
    ]);
  });

  it("ignores operations that the specification does not show", async () => {
    const put = request("PUT", "/nonsense");
    expect(await surfaceOf().absentAfter(put, framework(put))).toBeUndefined();
  });
});
