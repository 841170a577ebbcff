import { describe, expect, it } from "vitest";
import {
  anything,
  closed,
  dateTime,
  duration,
  integer,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  text,
  uuid,
} from "../../contracts/spec/fields.ts";
import type { Operation } from "../../contracts/spec/operation.ts";
import { OPERATIONS } from "../../contracts/spec/operations.ts";
import { CONTROL_OPERATIONS } from "../../emulator/control/gateway.ts";
import { checkRequest, prepareChecks, type RequestFields } from "../../emulator/http/operation-check.ts";
import { fieldOf, readQuery, unknownParameters } from "../../emulator/http/query.ts";
import type { HttpRequest } from "../../emulator/subjects/message.ts";
import { checkOf } from "../../emulator/validation/check.ts";
import { unknownFields } from "../../emulator/validation/unknown-fields.ts";

const order = object({
  id: uuid(),
  at: dateTime(),
  kind: oneOf(["a", "b"]),
  note: optional(nullable(text({ minLength: 1 }))),
  lines: optional(listOf(object({ count: integer({ minimum: 1 }) }))),
  modes: optional(anything({ anyOf: [oneOf(["a", "b"]), listOf(oneOf(["a", "b"]))] })),
});

const good = { id: "12345678-1234-4234-8234-123456789ABC", at: "2026-01-01T00:00:00Z", kind: "a" };

describe("a check", () => {
  it.each([
    [good, []],
    [{ ...good, note: null, lines: [{ count: 1 }] }, []],
    [{ ...good, id: "x" }, ["body.id: must be a uuid"]],
    [
      { ...good, at: "2026-01-01" },
      ["body.at: must be an ISO 8601 time with a zone, for example 2026-01-01T00:00:00Z"],
    ],
    [{ ...good, kind: "c" }, ["body.kind: must be one of a, b"]],
    [{ ...good, kind: undefined }, ["body.kind: is required; use one of a, b"]],
    [{ ...good, lines: [{ count: 1 }, { count: 0 }] }, ["body.lines[1].count: must be >= 1"]],
    [{ ...good, lines: [{ count: 1.5 }] }, ["body.lines[0].count: must be an integer"]],
    [[], ["body: must be a JSON object"]],
    [{ ...good, kind: 5 }, ["body.kind: must be one of a, b"]],
    [{ ...good, modes: "c" }, ["body.modes: must be one of a, b"]],
    [{ ...good, modes: ["a", "c"] }, ["body.modes[1]: must be one of a, b"]],
    [{ ...good, modes: 5 }, ["body.modes: must be one of a, b, or an array"]],
  ])("names the mistake: %j", async (value, problems) => {
    const check = await checkOf(order);
    expect(check(JSON.parse(JSON.stringify(value)), "body")).toEqual(problems);
  });

  it.each([
    [{ after: "PT1S", rate: "3 / 7" }, []],
    [
      { after: "P1M" },
      ["body.after: must be a duration such as 6h, 1d12h or PT6H (units: w, d, h, m, s, ms)"],
    ],
    [{ rate: "x" }, ['body.rate: must be written as "15 / 10"']],
    [{ rat: "3 / 7" }, ["body.rat: is not a known field; did you mean rate?"]],
    [{ colour: "blue" }, ["body.colour: is not a known field; use one of after, rate"]],
  ])("of a closed object refuses members that it does not name, once: %j", async (value, problems) => {
    const rate = text({ pattern: "^\\d+ / \\d+$", title: 'written as "15 / 10"' });
    const pace = closed({ after: optional(duration()), rate: optional(rate) });
    const check = await checkOf(pace);
    expect(check(value, "body")).toEqual(problems);
    expect(unknownFields(value, pace, "body")).toEqual([]);
  });

  it("does not take quadratic time for a list of wrong items", async () => {
    const check = await checkOf(order);
    const cpuOf = (length: number): number => {
      const value = { ...good, modes: Array.from({ length }, () => 5) };
      const before = process.cpuUsage();
      const problems = check(value, "body");
      const { user, system } = process.cpuUsage(before);
      expect(problems).toHaveLength(10);
      expect(problems[0]).toBe("body.modes: must be one of a, b");
      return user + system;
    };
    cpuOf(4_000);
    // Time of the processor, of which other work on the machine takes none; the square would be 400 times as much.
    const [short, long] = [4_000, 80_000].map((length) =>
      Math.min(cpuOf(length), cpuOf(length), cpuOf(length)),
    );
    expect(long).toBeLessThan(100 * (short ?? 0) + 100_000);
  });

  it("stops at the first problem of a long body", async () => {
    const check = await checkOf(order);
    const lines = Array.from({ length: 40 }, () => ({ count: 0 }));
    expect(check({ ...good, lines }, "body", 300_000)).toEqual(["body.lines[0].count: must be >= 1"]);
    expect(check({ ...good, lines }, "body")).toHaveLength(10);
    expect(check(good, "body", 300_000)).toEqual([]);
  });

  it("reports every problem of a body, unless it is long", async () => {
    const operation = OPERATIONS.createThreadRun;
    const checks = await prepareChecks(operation);
    const path = { thread_id: good.id };
    const problemsOf = (modes: number) => {
      const value = { stream_mode: Array.from({ length: modes }, () => 5) };
      const body = new TextEncoder().encode(JSON.stringify(value));
      const request = { query: "", body } as HttpRequest;
      return checkRequest(operation, checks, { request, path, body: { value } }).problems;
    };
    expect(problemsOf(1)).toEqual(["body.assistant_id: is required", expect.stringContaining("stream_mode")]);
    expect(problemsOf(200_000)).toEqual(["body.assistant_id: is required"]);
  });
});

describe("unknown fields", () => {
  it("are found at every depth, and only where members are defined", () => {
    const value = { ...good, colour: 1, lines: [{ count: 1, size: 2 }] };
    expect(unknownFields(value, order, "body")).toEqual(["body.lines[0].size", "body.colour"].reverse());
    expect(unknownFields({ toString: 1 }, order, "body")).toEqual(["body.toString"]);
    const wide = Object.fromEntries(Array.from({ length: 100 }, (_, number) => [`a${number}`, 0]));
    expect(unknownFields(wide, order, "body")).toHaveLength(50);
  });

  it("are also found in a query, in every spelling of a list", () => {
    const fields = { limit: optional(integer()), select: optional(listOf(text())) };
    expect(unknownParameters(["limit", "select", "select[]", "select[0]"], fields)).toEqual([]);
    expect(unknownParameters(["limit", "colour", "toString"], fields)).toEqual([
      "query.colour",
      "query.toString",
    ]);
    const many = Array.from({ length: 500 }, (_, index) => `p${index}`);
    expect(unknownParameters(many, fields).length).toBeLessThanOrEqual(50);
  });
});

/** The GET operations of the API and the control API, by name. */
const READS = [
  ...Object.entries<Pick<Operation, "method" | "query">>(OPERATIONS),
  ...CONTROL_OPERATIONS.map((row): [string, Pick<Operation, "method" | "query">] => [row.path, row]),
].filter(([, { method }]) => method === "GET");

describe("a query", () => {
  it.each(READS)("%s: an empty text is not a number, a time, an id or a word", async (_, operation) => {
    const checks = await prepareChecks(operation);
    const problemsOf = (name: string, value: string) => {
      const request = { method: "GET", query: `${name}=${value}` } as HttpRequest;
      const { problems } = checkRequest(operation, checks, { request, path: {}, body: { value: null } });
      return problems.filter((problem) => problem.startsWith(`query.${name}: must be`));
    };
    for (const [name, declared] of Object.entries(operation.query ?? {})) {
      const field = fieldOf(declared);
      const isOpen = field.type === "array" || problemsOf(name, "any text").length === 0;
      expect(problemsOf(name, ""), name).toHaveLength(isOpen ? 0 : 1);
    }
  });

  it("is read in the types of its fields; what does not fit stays text", () => {
    const fields = { limit: optional(integer({ default: 10 })), name: optional(text()) };
    const read = (query: string) => readQuery(new URLSearchParams(query), fields);
    expect(read("limit=5&name=7")).toEqual({ limit: 5, name: "7" });
    expect(read("")).toEqual({ limit: 10 });
    expect(read("limit=five")).toEqual({ limit: "five" });
    expect(read("limit=1e3")).toEqual({ limit: "1e3" });
    expect(read(`limit=${"9".repeat(30)}`)).toEqual({ limit: 1e30 });
    expect(read(`limit=${"9".repeat(400)}`)).toEqual({ limit: "9".repeat(400) });
  });

  it("has only fields of this request", async () => {
    const reader = async (operation: RequestFields) => {
      const checks = await prepareChecks(operation);
      return (query: string) =>
        checkRequest(operation, checks, {
          request: { query } as HttpRequest,
          path: {},
          body: { value: null },
        });
    };
    const one = await reader({ query: { limit: optional(integer({ default: 10 })) } });
    const other = await reader({ query: { limit: optional(text()) } });
    for (const value of ["limit=5", "limit=5", "", "limit=6&size=1", "limit=5"]) {
      const { limit, size } = Object.fromEntries(new URLSearchParams(value));
      const unknown = size ? ["query.size"] : [];
      expect(one(value)).toMatchObject({ query: { limit: Number(limit ?? 10) }, unknown });
      expect(other(value)).toMatchObject({ query: limit ? { limit } : {}, unknown });
    }
  });
});
