import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openApiDocument } from "../../contracts/openapi/openapi.ts";
import { ASSUMPTIONS } from "../../contracts/spec/assumptions.ts";
import type { Field } from "../../contracts/spec/fields.ts";
import type { Operation } from "../../contracts/spec/operation.ts";
import { OPERATIONS } from "../../contracts/spec/operations.ts";
import { bulkExport, bulkExportRun, destination } from "../../contracts/spec/resources.ts";
import { undocumentedInReply } from "../../emulator/http/undocumented-members.ts";
import { createExport, DESTINATION, prepareExport, type Rig, startRig } from "../support/emulator.ts";

interface Entry {
  readonly cause: { readonly name: string; readonly detail?: Readonly<Record<string, unknown>> };
  readonly sent_beyond?: readonly string[];
  readonly answered_beyond?: readonly string[];
}

const open: Rig[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((rig) => rig.close()));
});

async function rigWith(options: Parameters<typeof startRig>[0] = {}): Promise<Rig> {
  const rig = await startRig(options);
  open.push(rig);
  return rig;
}

async function entriesOf({ emulator }: Rig): Promise<readonly Entry[]> {
  const text = await (await emulator.request("/_emulator/v1/journal")).text();
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

const beyondIn = (entries: readonly Entry[], name: string) =>
  entries.findLast(({ cause }) => cause.name === name)?.answered_beyond;

const DESTINATION_BEYOND =
  "destination_type display_name config tenant_id created_at updated_at credentials_keys".split(" ");
const EXPORT_BEYOND = [
  "tenant_id created_at updated_at bulk_export_destination_id session_id start_time end_time",
  "filter export_fields interval_hours format_version compression format finished_at",
].flatMap((names) => names.split(" "));

describe("the tables", () => {
  const rows = Object.entries(OPERATIONS) as [string, Operation][];
  const marked = (field: unknown): boolean =>
    JSON.stringify(field ?? {}).includes('"x-beyond":true') ||
    /"x-requirement":"X-/.test(JSON.stringify(field ?? {}));
  /** Fields that §2 lists. Other fields in replies of operations that it does not show are our choice. */
  const defined = new Set(
    "getThread updateThread copyThread createStatelessRun createStatelessRuns getThreadRun".split(" "),
  );

  it.each(rows.filter(([id, { shown, reply }]) => !shown && reply.body && !defined.has(id)))(
    "say of %s, which the specification does not show, what of its reply is ours",
    (_, { reply }) => {
      expect(marked(reply.body)).toBe(true);
      if (reply.or) expect(marked(reply.or.body)).toBe(true);
    },
  );

  it.each(rows.filter(([, { waits }]) => waits))(
    "hide the fields of %s that change during a run",
    (_, row) => {
      expect(undocumentedInReply(row, undefined, true)).toEqual(["body"]);
    },
  );

  it("name a choice of ours wherever they have such a mark", () => {
    const results = [...JSON.stringify(OPERATIONS).matchAll(/"x-assumption":"([^"]+)","x-beyond":true/g)];
    expect(results.length).toBeGreaterThan(20);
    for (const [, id] of results) expect(ASSUMPTIONS).toHaveProperty([id as string]);
  });

  it("define of a destination, an export and its runs what §2.4 to §2.6 list", () => {
    const membersOf = (field: object) =>
      Object.entries((field as { properties: Record<string, object> }).properties).flatMap(([name, inner]) =>
        "x-beyond" in inner ? [] : name,
      );
    expect(membersOf(destination)).toEqual(["id"]);
    expect(membersOf(bulkExport)).toEqual(["id", "status", "source_bulk_export_id"]);
    expect(membersOf(bulkExportRun)).toEqual(["errors"]);
  });
});

describe("the OpenAPI document", () => {
  const { paths, components } = openApiDocument() as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
    readonly components: {
      readonly schemas: Readonly<Record<string, { readonly properties?: Readonly<Record<string, object>> }>>;
    };
  };

  it("marks the operations and the paths that the specification does not show", () => {
    const isMarked = (method: string, path: string) => "x-beyond" in (paths[path]?.[method] ?? {});
    expect(isMarked("post", "/api/v1/bulk-exports")).toBe(false);
    expect(isMarked("post", "/thread/{thread_id}/runs")).toBe(false);
    expect(isMarked("post", "/threads/{thread_id}/runs")).toBe(true);
    expect(isMarked("patch", "/api/v1/bulk-exports/destinations/{destination_id}")).toBe(true);
    expect(isMarked("post", "/runs/batch")).toBe(true);
  });

  it("marks members, errors and values of the emulator's own choice", () => {
    const member = (path: string) => {
      const [schema = "", name = ""] = path.split(".");
      return components.schemas[schema]?.properties?.[name];
    };
    const beyond =
      "BulkExportRun.rows_exported BulkExportRun.metadata BulkExportDestination.config BulkExport.format_version " +
      "BulkExportCreate.compression RunCreate.config ThreadCreate.if_exists";
    for (const path of beyond.split(" ")) expect(member(path), path).toHaveProperty("x-beyond", true);
    const documented = "BulkExportRun.errors BulkExport.status BulkExportCreate.filter RunCreate.webhook";
    for (const path of documented.split(" ")) {
      expect(member(path), path).toBeDefined();
      expect(member(path), path).not.toHaveProperty("x-beyond");
    }
    expect(member("BulkExportCreate.format_version")).toHaveProperty("x-beyond-values", ["v1"]);
    expect(components.schemas.PlatformError).toHaveProperty("x-beyond", true);
  });
});

describe("the undocumented fields of a reply", () => {
  it("are named where they stand, once for all items of a list", () => {
    const body = [
      { id: "a", colour: 1 },
      { id: "b", colour: 2, finished_at: null, metadata: { shade: 1 } },
      {},
    ];
    expect(undocumentedInReply(OPERATIONS.listBulkExportRuns, body)).toEqual([
      "body[].id",
      "body[].colour",
      "body[].finished_at",
      "body[].metadata",
    ]);
  });

  it("do not exist in free-form values, empty replies and documented replies", () => {
    expect(undocumentedInReply(OPERATIONS.createThread, { metadata: { any: 1 }, values: null })).toEqual([]);
    expect(undocumentedInReply(OPERATIONS.createThread, { colour: undefined })).toEqual([]);
    expect(undocumentedInReply(OPERATIONS.deleteThread, undefined)).toEqual([]);
  });

  it("differ from one reply of an operation to the next", () => {
    const read = (body: unknown) => undocumentedInReply(OPERATIONS.getThread, body);
    expect(read({ a: 1 })).toEqual(["body.a"]);
    expect(read({ b: 1 })).toEqual(["body.b"]);
    expect(read({ b: 2 })).toBe(read({ b: 3 }));
    expect(read({})).toEqual([]);
  });
});

describe("the journal", () => {
  it("names them on the turn of the request, answered at once or by a later turn", async () => {
    const rig = await rigWith();
    const { body } = await createExport(rig, await prepareExport(rig, { count: 5 }));
    await rig.call("GET", `/api/v1/bulk-exports/${body.id}`);
    await rig.call("GET", "/api/v1/bulk-exports");
    await rig.call("POST", "/threads", {});
    await rig.call("GET", "/ok");
    const entries = await entriesOf(rig);
    expect(beyondIn(entries, "createBulkExportDestination")?.toSorted()).toEqual(
      DESTINATION_BEYOND.map((name) => `body.${name}`).sort(),
    );
    for (const [name, at] of [
      ["createBulkExport", "body"],
      ["getBulkExport", "body"],
      ["listBulkExports", "body[]"],
    ] as const)
      expect(beyondIn(entries, name)?.toSorted()).toEqual(EXPORT_BEYOND.map((one) => `${at}.${one}`).sort());
    expect(beyondIn(entries, "ok")).toEqual(["body"]);
    const thread = entries.find(({ cause }) => cause.name === "createThread");
    expect(thread).toBeDefined();
    expect(thread).not.toHaveProperty("answered_beyond");
  });

  it("names what a request sent beyond the specification, and only that", async () => {
    const rig = await rigWith();
    const prepared = await prepareExport(rig, { count: 5 });
    await createExport(rig, prepared, { compression: "gzip", format_version: "v2_beta" });
    await rig.call("GET", "/api/v1/bulk-exports?limit=1");
    await rig.call("POST", "/runs/wait", {
      assistant_id: "echo",
      input: {},
      stream_mode: "values",
      context: {},
    });
    await rig.call("POST", "/assistants/search", { limit: 10, offset: 0 });
    await rig.call("POST", "/threads", { metadata: {} });
    const entries = await entriesOf(rig);
    const sentIn = (name: string) => entries.findLast(({ cause }) => cause.name === name)?.sent_beyond;
    expect(sentIn("createBulkExport")).toEqual(["body.compression"]);
    expect(sentIn("listBulkExports")).toEqual(["query.limit"]);
    expect(sentIn("waitStatelessRun")).toEqual(["body.context"]);
    expect(sentIn("searchAssistants")).toBeUndefined();
    expect(sentIn("createThread")).toEqual(["body.metadata"]);
    expect(sentIn("createBulkExportDestination")).toBeUndefined();
  });

  it("names what another profile adds", async () => {
    const rig = await rigWith({ profile: "observed" });
    await rig.call("POST", "/threads", {});
    expect(beyondIn(await entriesOf(rig), "createThread")?.toSorted()).toEqual([
      "body.interrupts",
      "body.state_updated_at",
    ]);
  });

  it("ignores refusals", async () => {
    const rig = await rigWith();
    await rig.call("POST", "/api/v1/bulk-exports/destinations", {
      ...DESTINATION,
      config: { ...DESTINATION.config, bucket_name: "nowhere" },
    });
    const entries = await entriesOf(rig);
    expect(entries.some(({ cause }) => cause.name === "createBulkExportDestination")).toBe(true);
    expect(entries.filter(({ answered_beyond }) => answered_beyond)).toEqual([]);
  });

  it("only prints them, and does not store them", async () => {
    const data = await mkdtemp(join(tmpdir(), "answered-"));
    try {
      const rig = await startRig({ data, ephemeral: false });
      await createExport(rig, await prepareExport(rig, { count: 5 }));
      expect(beyondIn(await entriesOf(rig), "createBulkExport")).toBeDefined();
      const files = readdirSync(data, { recursive: true, withFileTypes: true }).filter((file) =>
        file.isFile(),
      );
      const survivor = files
        .map((file) => readFileSync(join(file.parentPath, file.name), "latin1"))
        .join("\n");
      expect(survivor).toContain("createBulkExport");
      expect(survivor).not.toContain("answered_beyond");
      expect(survivor).not.toContain("body.finished_at");
      await rig.close();
    } finally {
      await rm(data, { recursive: true, force: true });
    }
  });
});

describe("members without effect", () => {
  const RUN = { assistant_id: "echo", input: {} };
  const IGNORED = {
    stream_subgraphs: true,
    feedback_keys: ["a"],
    checkpoint_during: false,
    strict_resume: true,
    durability: "exit",
    langsmith_tracer: {},
  };
  const namesOf = (members: object) => Object.keys(members).map((name) => `body.${name}`);

  it.each<[method: string, path: string, body: object, names: readonly string[]]>([
    ["POST", "/runs/wait", { ...RUN, ...IGNORED }, namesOf(IGNORED)],
    ["POST", "/runs/batch", [{ ...RUN, durability: "exit" }], ["body[0].durability"]],
    ["POST", "/runs/crons", { ...RUN, schedule: "0 0 1 1 *", user_id: "me" }, ["body.user_id"]],
    [
      "POST",
      "/threads/search",
      { select: ["context", "status"], extract: {} },
      ["body.select[0]", "body.extract"],
    ],
    [
      "POST",
      "/runs/wait",
      { ...RUN, stream_subgraphs: false, durability: "sync", checkpoint_during: true, feedback_keys: null },
      [],
    ],
  ])("are named in a warning unless they need no effect: %s %s %j", async (method, path, body, names) => {
    const reply = await (await rigWith()).call(method, path, body);
    expect([reply.status, reply.header("x-emulator-warning")]).toEqual([
      200,
      names.length > 0 ? `ignored fields: ${names.join(", ")}` : undefined,
    ]);
    const strict = await (await rigWith({ strict: true })).call(method, path, body);
    expect(strict.status).toBe(names.length > 0 ? 422 : 200);
  });

  it("are listed by name among what is not emulated", () => {
    const text = readFileSync("docs/understand/not-emulated.md", "utf8");
    const names = Object.values<Operation>(OPERATIONS).flatMap(({ body }) => ignoredIn(body, ""));
    expect(new Set(names).size).toBeGreaterThan(8);
    expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });
});

/** Names of the members without effect in a field, and of those with a value without one. */
function ignoredIn(field: Field<unknown> | undefined, name: string): string[] {
  const { properties = {}, items } = (field ?? {}) as { properties?: object; items?: Field<unknown> };
  const own = field && "x-ignored" in field ? [name] : [];
  const inner = Object.entries<Field<unknown>>({ ...properties });
  return [
    ...own,
    ...inner.flatMap(([member, each]) => ignoredIn(each, member)),
    ...(items ? ignoredIn(items, name) : []),
  ];
}

describe("--strict", () => {
  const HEADER = "x-emulator-warning";

  it("names them in a header and refuses nothing", async () => {
    const strict = await rigWith({ strict: true });
    const reply = await createExport(strict, await prepareExport(strict, { count: 5 }));
    expect(reply.status).toBe(200);
    expect(reply.header(HEADER)).toContain("answered beyond the specification: body.");
    expect(reply.header(HEADER)).not.toContain("sent beyond");
    expect(reply.header(HEADER)).toContain("body.finished_at");
    expect((await strict.call("POST", "/threads", {})).header(HEADER)).toBeUndefined();
    const wait = await strict.call("POST", "/runs/wait", { assistant_id: "echo", input: {} });
    expect(wait.header(HEADER)).toBe("answered beyond the specification: body");
  });

  it("names the extra fields of the request", async () => {
    const strict = await rigWith({ strict: true });
    const { header } = await createExport(strict, await prepareExport(strict, { count: 5 }), {
      compression: "none",
    });
    expect(header(HEADER)).toMatch(/^sent beyond the specification: body\.compression; answered beyond/);
  });

  it("is required: without it the reply has no such header", async () => {
    const rig = await rigWith();
    const reply = await createExport(rig, await prepareExport(rig, { count: 5 }));
    expect(reply.header(HEADER)).toBeUndefined();
    const colour = await createExport(rig, await prepareExport(rig, { count: 5 }), { colour: "red" });
    expect(colour.header(HEADER)).toBe("ignored fields: body.colour");
    expect(beyondIn(await entriesOf(rig), "createBulkExport")).toBeDefined();
  });
});
