import { describe, expect, it } from "vitest";
import { contractMatchers, expectContract } from "../../contracts/targets/expect.ts";
import { NEW_THREAD as THREAD } from "./recorded-bodies.ts";
import { tinyServer } from "./stub-server.ts";

expect.extend(contractMatchers);

const exchange = { method: "POST", url: "http://any.test/threads", requestBody: {}, status: 200 };

describe("recorded traffic", () => {
  it("keeps the contract or breaks it", async () => {
    await expectContract({ ...exchange, body: THREAD });
    const { config: _, ...less } = THREAD;
    await expect(expectContract({ ...exchange, body: less })).rejects.toThrow(
      /breaks the contract[\s\S]*§2\.2-1/,
    );
  });

  it("is checked more strictly on request", async () => {
    const said = { ...exchange, body: { ...THREAD, colour: "blue" } };
    await expectContract(said);
    await expect(expectContract(said, { strict: true })).rejects.toThrow(/colour/);
  });

  it("can be a Response, which the test can still read", async () => {
    const server = await tinyServer(() => ({ status: 404, body: { detail: "no" } }));
    const response = await fetch(`${server.url}/threads/0a91a355-8a88-422c-9546-72c183b95b5c/runs`);
    await expect(expectContract(response)).rejects.toThrow(/plain string/);
    expect(await response.json()).toEqual({ detail: "no" });
    await server.close();
  });

  it("has a matcher for test runners", async () => {
    const verdict = await contractMatchers.toMatchContract({ ...exchange, body: [] });
    expect(verdict.pass).toBe(false);
    expect(verdict.message()).toContain("POST http://any.test/threads → 200 breaks the contract");
    expect(verdict.message()).toContain("curl -sS -X POST 'http://any.test/threads'");
  });

  it("can be a reply with its request, in the form of any client", async () => {
    const headers = new Headers({ "Content-Type": "application/json; charset=utf-8" });
    await expectContract({ status: 200, headers, body: THREAD }, { method: "post", path: "/threads" });
    const text = {
      status: 200,
      headers: { "CONTENT-TYPE": "application/json" },
      body: JSON.stringify(THREAD),
    };
    await expectContract(text, { method: "POST", url: "https://any.test/w/mine/threads?x=1#y" });
    const wrong = { ...text, status: 200, body: { ...THREAD, thread_id: 7 } };
    await expect(expectContract(wrong, { method: "POST", path: "/threads" })).rejects.toThrow(/§2\.2-1/);
  });

  it("can be a line of a recording, whose body decides which operation it is", async () => {
    const line = { region: "us", method: "POST", path: "/runs", query: "", headers: {}, status: 202 };
    const body = JSON.stringify({ id: "0a91a355-8a88-422c-9546-72c183b95b5c" });
    await expectContract({ ...line, body, reply: "{}" });
    await expect(expectContract({ ...line, body, reply: "[]" }, { strict: true })).rejects.toThrow(/object/);
    await expect(expectContract({ ...line, body, reply: null })).rejects.toThrow(/has no body for the reply/);
  });

  it("is checked without its request if there is none, and against it otherwise", async () => {
    const path = "/api/v1/bulk-exports";
    await expectContract({ status: 200, body: [] }, { path, strict: true });
    const requestHeaders = { "x-api-key": "some-secret-key" };
    await expect(
      expectContract({ status: 200, body: [] }, { path, strict: true, requestHeaders }),
    ).rejects.toThrow(/fix: change the request$/m);
  });

  it("is refused when its operation is unknown", async () => {
    await expect(expectContract({ status: 200, body: [] })).rejects.toThrow(
      /The request of this reply is unknown/,
    );
    await expect(expectContract({ status: 200, body: [] }, { path: "/nonsense" })).rejects.toThrow(
      /GET \/nonsense is not an operation of this API/,
    );
    await expect(expectContract({ status: 200, body: THREAD }, { path: "/threads" })).rejects.toThrow(
      /GET \/threads is not an operation .* method: "POST"/,
    );
    await expect(expectContract(THREAD as never)).rejects.toThrow(/The value is not a reply/);
  });

  it("says what to do with a Response that was read, and does not wait for the end of a stream", async () => {
    const response = new Response(JSON.stringify(THREAD));
    await response.text();
    const question = { method: "POST", path: "/threads" };
    await expect(expectContract(response, question)).rejects.toThrow(
      /already been read\. Match the response first/,
    );
    const endless = new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } });
    await expectContract(endless, { method: "POST", path: "/runs/stream" });
  });

  it("stays short where there is much to say", async () => {
    const body = Array.from({ length: 30 }, () => ({ id: 7 }));
    const said = expectContract({ method: "GET", url: "/api/v1/bulk-exports", status: 200, body });
    // The items of a list share their mistakes, which are reported once.
    const { message } = await said.then(
      () => new Error("nothing"),
      (error: Error) => error,
    );
    expect(message).toContain("property 0");
    expect(message).not.toContain("property 1");
  });

  it("is checked by the row of its operation", async () => {
    const body = { id: "0a91a355-8a88-422c-9546-72c183b95b5c", status: "CREATED" };
    const request = {
      method: "GET",
      url: "/api/v1/bulk-exports/0a91a355-8a88-422c-9546-72c183b95b5c",
      status: 200,
    };
    await expectContract({ ...request, body });
    const said = expectContract({ ...request, body: { ...body, created_at: 7 } }, { strict: true });
    await expect(said).rejects.toThrow(/§4\.4-1, \S+: .*updated_at/);
    await expect(said).rejects.not.toThrow(/§4\.6-1/);
  });

  it("keeps the key out of its message", async () => {
    const requestHeaders = { "x-api-key": "some-secret-key" };
    const said = expectContract({ ...exchange, requestHeaders, body: [] });
    await expect(said).rejects.toThrow(/\$API_KEY/);
    await expect(said).rejects.not.toThrow(/some-secret-key/);
  });

  it("keeps it out when the server sends it back", async () => {
    const requestHeaders = { "x-api-key": "some-secret-key" };
    const body = [{ run_id: "no some-secret-key", session_token: "another-secret" }];
    const said = expectContract({ ...exchange, requestHeaders, body }).catch(({ message }: Error) => message);
    expect(await said).toContain('"no ***"');
    expect(await said).not.toMatch(/some-secret-key|another-secret/);
  });
});
