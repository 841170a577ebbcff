import type { Members } from "../engine/json.ts";
import { type Mutant, mutantsOf, rewriteReply, rewriteRequest, rewriteStatus } from "../engine/mutant.ts";
import type { ObjectStore, ReadFile } from "../engine/target.ts";

/** Shows other keys than there are; what is asked of them is answered by the true ones. */
export const renameKeys =
  (rename: (key: string) => string) =>
  (store: ObjectStore): ObjectStore => {
    const originalKeys = new Map<string, string>();
    return {
      ...store,
      async list(bucket, prefix) {
        const all = await store.list(bucket, prefix);
        return all.map((key) => {
          originalKeys.set(rename(key), key);
          return rename(key);
        });
      },
      get: (bucket, key) => store.get(bucket, originalKeys.get(key) ?? key),
      uploads: async (bucket) => (await store.uploads(bucket)).map(rename),
    };
  };

const rewriteListing =
  (change: (keys: readonly string[]) => readonly string[]) =>
  (store: ObjectStore): ObjectStore => ({
    ...store,
    list: async (...parameters) => change(await store.list(...parameters)),
  });

const rewriteRows =
  (change: (row: Members) => Members) =>
  (file: ReadFile): ReadFile => ({ ...file, rows: file.rows.map(change) });

/** Rewrites the columns of a file. */
export const rewriteColumns =
  (change: (file: ReadFile["columns"]) => ReadFile["columns"]) =>
  (file: ReadFile): ReadFile => ({ ...file, columns: change(file.columns) });

/** A store in which the test file of each destination stays. */
const keepTmpFiles = (store: ObjectStore): ObjectStore => {
  let listings = 0;
  return {
    ...store,
    async list(...parameters) {
      const all = await store.list(...parameters);
      listings += 1;
      return [...all, ...Array.from({ length: listings }, (_, index) => `tmp/left-${index}.txt`)];
    },
  };
};

const LIMITED = ["*", /^\/(?!_emulator)/] as const;

/** Sends another value of a header that a caller sends. */
const rewriteHeader = (name: string, value: string) =>
  rewriteRequest(LIMITED, (request) =>
    name in request.headers ? { ...request, headers: { ...request.headers, [name]: value } } : request,
  );

/** Files, and what is counted by §8.5. */
export const STORAGE_MUTANTS: readonly Mutant[] = [
  ...mutantsOf("2.4-5", {
    unwritten: {
      wrongBehaviour: "no test file is written",
      objects: rewriteListing((all) => all.filter((key) => !key.includes("tmp/"))),
    },
  }),
  ...mutantsOf("2.4-6", {
    stays: { wrongBehaviour: "the test file is never deleted", objects: keepTmpFiles },
    elsewhere: {
      wrongBehaviour: "the test file is under test/",
      objects: renameKeys((key) => key.replace(/^tmp\//, "test/")),
    },
  }),
  ...mutantsOf("2.4-10", {
    hidden: {
      wrongBehaviour: "a failed multipart upload is never visible",
      objects: (store) => ({ ...store, uploads: async () => [] }),
    },
    dangling: {
      wrongBehaviour: "a failed multipart upload is never aborted",
      objects: (store) => ({
        ...store,
        uploads: async (bucket) => repeatUploads(await store.list(bucket), await store.uploads(bucket)),
      }),
    },
  }),
  ...mutantsOf("2.7-1", {
    "no-dotted-order": {
      wrongBehaviour: "a column is missing",
      file: rewriteColumns((all) => all.filter(({ name }) => name !== "dotted_order")),
    },
    "extra-column": {
      wrongBehaviour: "there is an additional column",
      file: rewriteColumns((all) => [...all, { name: "cost", type: "DOUBLE", repeated: false }]),
    },
    "row-lost": {
      wrongBehaviour: "the last row is missing",
      file: (file) => ({ ...file, rows: file.rows.slice(0, -1) }),
    },
    "times-shifted": {
      wrongBehaviour: "times differ by one hour",
      file: rewriteRows((row) => ({ ...row, start_time: "2026-01-01T00:00:00Z" })),
    },
    "run-type-closed": {
      wrongBehaviour: "an unknown run_type becomes chain",
      file: rewriteRows((row) => (row.run_type === "Robot" ? { ...row, run_type: "chain" } : row)),
    },
    "status-closed": {
      wrongBehaviour: "an unknown status becomes success",
      file: rewriteRows((row) => (row.status === "on-hold" ? { ...row, status: "success" } : row)),
    },
    "not-root": {
      wrongBehaviour: "is_root has the wrong value",
      file: rewriteRows((row) => ({ ...row, is_root: false })),
    },
    "ascii-only": {
      wrongBehaviour: "non-ASCII characters are lost",
      file: rewriteRows((row) => ({ ...row, outputs: JSON.stringify(row.outputs).replace(/[^ -~]/g, "?") })),
    },
    "no-tokens": {
      wrongBehaviour: "token counts are missing",
      file: rewriteRows((row) => ({ ...row, total_tokens: null })),
    },
    "tokens-swapped": {
      wrongBehaviour: "prompt tokens are in another column",
      file: rewriteRows((row) => ({ ...row, prompt_tokens: row.completion_tokens })),
    },
    "callers-lost": {
      wrongBehaviour: "parent_run_ids is empty",
      file: rewriteRows((row) => ({ ...row, parent_run_ids: [] })),
    },
  }),
  ...mutantsOf("2.5-6", {
    "lists-as-text": {
      wrongBehaviour: "v2_beta writes lists as text",
      file: rewriteColumns((all) => all.map((column) => ({ ...column, repeated: false }))),
    },
  }),
  ...mutantsOf("2.8-1", {
    "no-session": {
      wrongBehaviour: "the path has no session_id",
      objects: renameKeys((key) => key.replace(/session_id=[^/]*\//, "")),
    },
    "day-off": {
      wrongBehaviour: "files are under the next day",
      objects: renameKeys((key) => key.replace(/day=(\d+)/, (_, day) => `day=${Number(day) + 1}`)),
    },
    "not-hive": {
      wrongBehaviour: "folders have no key=value names",
      objects: renameKeys((key) => key.replace(/(year|month|day)=/g, "")),
    },
    "not-parquet": {
      wrongBehaviour: "files are not Parquet files",
      objects: (store) => ({ ...store, get: async () => new TextEncoder().encode("id,name\n") }),
    },
  }),
  ...mutantsOf("2.8-2", {
    "uuid-names": {
      wrongBehaviour: "files have other names",
      objects: renameKeys((key) => key.replace(/part-0/, "file-0")),
    },
  }),
  ...mutantsOf("8.3-2", {
    "row-twice": {
      wrongBehaviour: "a row is written twice after a crash",
      file: (file) => ({ ...file, rows: file.rows.flatMap((row) => [row, row]) }),
    },
  }),
  ...mutantsOf("8.5-1", {
    "never-refused": {
      wrongBehaviour: "rate limits never refuse a request",
      send: rewriteStatus(LIMITED, [429], 501),
    },
    unavailable: {
      wrongBehaviour: "rate limits answer with 503, also for server information and preflight requests",
      send: rewriteStatus(LIMITED, [429], 503),
    },
    "query-not-counted": {
      wrongBehaviour: "POST /runs/query is counted in the default row",
      send: rewriteRequest(["POST", /^\/runs\/query$/], (request) => ({ ...request, path: "/runs/nothing" })),
    },
  }),
  ...mutantsOf("8.5-2", {
    "one-value": {
      wrongBehaviour: "both regions have the same limits",
      send: (next) => (request) =>
        next({ ...request, region: "us", path: request.path.replace("region=eu", "region=us") }),
    },
  }),
  ...mutantsOf("8.5-3", {
    "keys-together": {
      wrongBehaviour: "all keys are counted together",
      send: rewriteHeader("x-api-key", "one-for-all"),
    },
  }),
  ...mutantsOf("8.5-4", {
    "below-only": {
      wrongBehaviour: "a rate-limit rule for a contained text matches only at the start of the path",
      send: rewriteRequest(["*", /\/deep\//], (request) => ({ ...request, path: "/nothing" })),
    },
    "whole-segments": {
      wrongBehaviour: "a rate-limit rule for a contained word matches whole path segments only",
      mild: true,
      send: rewriteRequest(["POST", /charts-new/], (request) => ({ ...request, path: "/nothing" })),
    },
    "user-first": {
      wrongBehaviour: "a request with both headers is counted by its user",
      mild: true,
      send: rewriteRequest(LIMITED, (request) => {
        if (!("x-user-id" in request.headers)) return request;
        const { "x-api-key": _, ...headers } = request.headers;
        return { ...request, headers };
      }),
    },
  }),
  ...mutantsOf("8.5-5", {
    "any-method": {
      wrongBehaviour: "GET /runs/query is counted like POST",
      send: rewriteRequest(["GET", /^\/runs\/query$/], (request) => ({ ...request, method: "POST" })),
    },
    "post-only": {
      wrongBehaviour: "a row without a method counts only POST",
      send: rewriteRequest(["*", /^\/repos$/], (request) =>
        request.method === "POST" ? request : { ...request, path: "/nothing" },
      ),
    },
  }),
  ...mutantsOf("8.5-7", {
    "no-category": {
      wrongBehaviour: "replies do not name the category",
      send: rewriteReply(["GET", /\/rate-limits\/explain/], (reply) => ({
        ...reply,
        text: reply.text.replaceAll('"category"', '"kind"').replace(/Run ingest/g, "default"),
      })),
    },
  }),
  ...mutantsOf("5-2", {
    "users-together": {
      wrongBehaviour: "all users are counted together",
      send: rewriteHeader("x-user-id", "one-for-all"),
    },
    "address-not-counted": {
      wrongBehaviour: "requests without an identity are not counted",
      send: rewriteReply(LIMITED, (reply, { headers }) =>
        reply.status === 429 && !headers["x-api-key"] && !headers["x-user-id"]
          ? { ...reply, status: 404 }
          : reply,
      ),
    },
  }),
];

/** Uploads of every export that has a file or none, as if none had been aborted. */
function repeatUploads(keys: readonly string[], uploads: readonly string[]): readonly string[] {
  return keys.length > 0 || uploads.length > 0 ? [...uploads, ...uploads, ...keys] : uploads;
}
