import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Answer, tinyServer } from "../contracts/stub-server.ts";
import { run } from "../support/command-line.ts";
import { workingFolder } from "../support/emulator-process.ts";

async function contract(args: readonly string[], cwd = workingFolder()) {
  const { code, stdout: out, stderr: err } = await run(["contract", ...args], { cwd });
  return { code, out, err };
}

const OUTPUT_PROBLEM =
  '--output: "no-such-folder/report.xml" cannot be written: its folder does not exist; create it, or use another path';

describe("emulator contract", () => {
  it("run: 0 when all is well, with the report in a file", async () => {
    const folder = workingFolder();
    const { code, out } = await contract(
      ["run", "4.1/limit", "--report", "junit", "--output", "report.xml"],
      folder,
    );
    expect(out).toMatch(/^emulator, in this process: 2 PASS\n$/);
    expect(code).toBe(0);
    expect(readFileSync(join(folder, "report.xml"), "utf8")).toMatch(/<testsuites .*tests="2" failures="0"/);
  });

  it("list and coverage: the cases and their rows", async () => {
    const [list, covered] = await Promise.all([
      contract(["list", "8.5/runs-query"]),
      contract(["coverage", "4.1", "--json"]),
    ]);
    expect(list.out.split("\n")[0]).toMatch(
      /^8\.5\/runs-query-key +POST \/runs\/query by x-api-key: 15 in 10 s$/,
    );
    expect(covered.code).toBe(0);
    const { ok, rows } = JSON.parse(covered.out);
    expect(ok).toBe(true);
    expect(rows.map(({ id }: { id: string }) => id)).toEqual(["4.1-1", "4.1-2", "4.1-3", "4.1-4"]);
  });

  it.each([
    [
      "run --compare http://127.0.0.1:9 --report junit",
      "--report: junit describes one server only; with --compare give pretty, json, md or html",
    ],
    [
      "run --compare https://api.example.com",
      "--api-key is missing; give the key of the server at --compare",
    ],
    [
      "run --assistant echo",
      "--assistant: it is only valid with --target, --agent-url or --compare; add one of them, or remove it",
    ],
    [
      "run --world main",
      "--world: it is only valid with --target, --agent-url or --compare; add one of them, or remove it",
    ],
    [
      "run --adapter http://127.0.0.1:9",
      "--adapter: it is only valid with --target, --agent-url or --compare; add one of them, or remove it",
    ],
    [
      "run --target http://127.0.0.1:9 --adapter here",
      '--adapter: "here" is not an http or https address; give one such as http://127.0.0.1:4700',
    ],
    [
      "run --target https://api.example.com --api-key k --adapter http://127.0.0.1:9",
      "--adapter: an adapter may empty the server, and this server is not local; add --allow-writes to allow it",
    ],
    [
      "run --target https://a.example.com --api-key k --world main",
      "--world: the target must be an emulator on this machine; other servers have no worlds",
    ],
    ["run --target http://127.0.0.1:9 --world a/b", '--world: "a/b" is not a valid name of a world'],
    ["run --output no-such-folder/report.xml", OUTPUT_PROBLEM],
    [
      "run --target http://joe:hunter2@127.0.0.1:9",
      "--target: user and password are not allowed in the address; give a key with --api-key",
    ],
    [
      "run --target http://127.0.0.1:9/?a=b",
      '--target: a base address must not have a query or a fragment; remove the part from "?" or "#" on',
    ],
    [
      "run --target http://127.0.0.1:9 --agent-url https://agent.example.com",
      "--api-key is missing; give the key of the server at --target",
    ],
    [
      "run --target http://127.0.0.1:9 --api-key k --compare https://api.example.com",
      "--compare-api-key is missing; give the key of the server at --compare",
    ],
    [
      "run --compare-api-key k",
      "--compare-api-key: it is only valid with --compare; add --compare, or remove it",
    ],
    ["run --seed x", '--seed: "x" is not valid; give an integer of 0 or more'],
    [
      "run --target http://127.0.0.1:9/w/mine --world main",
      "--world: main and mine are different worlds; give one",
    ],
    [
      "run --target http://127.0.0.1:9/w/mine --eu-url http://127.0.0.1:8/w/yours",
      "--world: mine and yours are different worlds; give one",
    ],
    [
      "run --target http://127.0.0.1:9/ --eu-url http://127.0.0.1:9",
      "--eu-url: http://127.0.0.1:9 is the US address; give the address of the EU region",
    ],
  ])("%s is used wrongly: 2", async (words, problem) => {
    const { code, err } = await contract(words.split(" "));
    expect(err).toBe(`emulator: ${problem}\n`);
    expect(code).toBe(2);
  });

  it("run --target: 2 when there is no server", async () => {
    const { code, err } = await contract(["run", "--target", "http://127.0.0.1:9"]);
    expect(err).toMatch(
      /^emulator: http:\/\/127\.0\.0\.1:9: nothing listens at this address; start the server, or give another address/,
    );
    expect(code).toBe(2);
  });

  it("run --target: 2 when it is another server, with what to do", async () => {
    const strange = await tinyServer(() => ({ status: 403, body: "", type: "application/xml" }));
    const { code, err } = await contract(["run", "--target", strange.url]);
    expect(err).toBe(
      `emulator: ${strange.url} does not respond to any path of this API; check the address\n`,
    );
    expect(code).toBe(2);
    await strange.close();
  });

  describe("with a separate agent server that has mistakes", () => {
    /** Finds no thread, as is asked, and says so in an object. */
    const failing: Answer = ({ path }) => ({
      status: 404,
      body: path.startsWith("/threads/") ? { detail: "no" } : "Not Found",
    });
    const served: Answer = (request) =>
      request.path === "/assistants/search" ? { status: 200, body: [] } : failing(request);

    it("run --compare: 3, with the difference and the cases that could not run", async () => {
      const { url, close } = await tinyServer(served);
      const folder = workingFolder();
      const args = ["run", "4.1/not-found", "4.2", "--compare", url];
      const { code, out } = await contract(args);
      expect(out).toMatch(/^FAIL \(target\) {2}§2\.3-1: An error of the agent server is a plain string\./m);
      expect(out).toMatch(/= emulator, in this process: ".*"\n {4}≠ http:\S+ \{"detail":"no"\}/);
      expect(out).toMatch(/1 of 1 cases differ; 1 could not be run on both\n$/);
      expect(code).toBe(3);
      const written = await contract([...args, "--report", "md", "--output", "drift.md"], folder);
      expect(written.code).toBe(3);
      expect(readFileSync(join(folder, "drift.md"), "utf8")).toMatch(/^### FAIL \(target\) {2}§2\.3-1: /m);
      expect((await contract(["run", "4.2", "--compare", url])).code).toBe(1);
      await close();
    });

    it("run: prints the command of a new run, quoted for a shell and without secrets", async () => {
      const { url, close } = await tinyServer(served);
      const keys =
        "--api-key key-of-mine --s3 aws --s3-access-key-id AKIA7 --s3-secret-access-key secret-of-mine " +
        "--assistant 0a91a355-8a88-422c-9546-72c183b95b5c";
      const words = ["run", "4.1/not-found", "--target", url, "--tenant-id", "it's"];
      const { out } = await contract([...words, ...keys.split(" ")]);
      expect(out).toContain(
        `dist/bin/emulator.js contract run 4.1/not-found --target ${url} ` +
          "--assistant 0a91a355-8a88-422c-9546-72c183b95b5c --tenant-id 'it'\\''s' --s3 aws " +
          '--api-key "$API_KEY" --s3-access-key-id "$AWS_ACCESS_KEY_ID" ' +
          '--s3-secret-access-key "$AWS_SECRET_ACCESS_KEY"\n',
      );
      expect(out).toMatch(/^ {2}rerun: node \S+emulator\.js contract run /m);
      expect(out).not.toMatch(/of-mine|AKIA7/);
      await close();
    });

    it("run --agent-url: checks only that server", async () => {
      const { url, close } = await tinyServer(served);
      const { code, out } = await contract(["run", "4.1/not-found", "4.2", "--agent-url", url]);
      expect(out).toMatch(/: 1 UNSUPPORTED · 1 FAIL$/m);
      expect(code).toBe(1);
      await close();
    });
  });
});
