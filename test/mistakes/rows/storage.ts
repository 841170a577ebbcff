import type { ObjectStore } from "../../../contracts/engine/target.ts";
import { renameKeys, rewriteColumns, rewriteRows, setColumns } from "../files.ts";
import { differences, mistakes, type Row } from "../row.ts";
import { rewritePath, rewriteReply, rewriteRequest, rewriteStatus } from "../wire.ts";

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
export const STORAGE_MISTAKES: readonly Row[] = [
  ...mistakes({
    "2.4-5: no test file is written": renameKeys((key) => key.replace("tmp/", "")),
    "2.4-6: the test file is never deleted": { objects: keepTmpFiles },
    "2.4-6: the test file is under test/": renameKeys((key) => key.replace(/^tmp\//, "test/")),
    "2.4-10: a failed multipart upload is never visible": {
      objects: (store) => ({ ...store, uploads: async () => [] }),
    },
    "2.4-10: a failed multipart upload is never aborted": {
      objects: (store) => ({
        ...store,
        uploads: async (bucket) => repeatUploads(await store.list(bucket), await store.uploads(bucket)),
      }),
    },
    "2.7-1: there is an additional column": rewriteColumns((all) => [
      ...all,
      { name: "cost", type: "DOUBLE", repeated: false },
    ]),
    "2.7-1: parent_run_ids has only the root": setColumns((row) => ({
      parent_run_ids: (row.parent_run_ids as readonly unknown[]).slice(0, 1),
    })),
    "2.7-1: a name is cut to 32 characters": setColumns((row) => ({ name: String(row.name).slice(0, 32) })),
    "2.7-1: missing tokens are 0": setColumns((row) => ({ total_tokens: row.total_tokens ?? 0 })),
    "2.7-1: the last row is missing": { file: (file) => ({ ...file, rows: file.rows.slice(0, -1) }) },
    "2.7-1: times differ by one hour": setColumns((_row) => ({ start_time: "2026-01-01T00:00:00Z" })),
    "2.7-1: an unknown run_type becomes chain": rewriteRows((row) =>
      row.run_type === "Robot" ? { ...row, run_type: "chain" } : row,
    ),
    "2.7-1: an unknown status becomes success": rewriteRows((row) =>
      row.status === "on-hold" ? { ...row, status: "success" } : row,
    ),
    "2.7-1: non-ASCII characters are lost": setColumns((row) => ({
      outputs: JSON.stringify(row.outputs).replace(/[^ -~]/g, "?"),
    })),
    "2.7-1: prompt tokens are in another column": setColumns((row) => ({
      prompt_tokens: row.completion_tokens,
    })),
    "2.5-6: v2_beta writes lists as text": rewriteColumns((all) =>
      all.map((column) => ({ ...column, repeated: false })),
    ),
    "2.8-1: files are under the next day": renameKeys((key) =>
      key.replace(/day=(\d+)/, (_, day) => `day=${Number(day) + 1}`),
    ),
    "2.8-1: files are not Parquet files": {
      objects: (store) => ({ ...store, get: async () => new TextEncoder().encode("id,name\n") }),
    },
    "2.8-2: files have other names": renameKeys((key) => key.replace(/part-0/, "file-0")),
    "8.3-2: a row is written twice after a crash": {
      file: (file) => ({ ...file, rows: file.rows.flatMap((row) => [row, row]) }),
    },
    "8.5-1: rate limits answer with 503, also for server information and preflight requests": rewriteStatus(
      LIMITED,
      [429],
      503,
    ),
    "8.5-4: a rate-limit rule for a contained text matches only at the start of the path": rewritePath(
      ["*", /\/deep\//],
      () => "/nothing",
    ),
    "8.5-5: GET /runs/query is counted like POST": rewriteRequest(["GET", /^\/runs\/query$/], (request) => ({
      ...request,
      method: "POST",
    })),
    "8.5-5: a row without a method counts only POST": rewriteRequest(["*", /^\/repos$/], (request) =>
      request.method === "POST" ? request : { ...request, path: "/nothing" },
    ),
    "5-2: all users are counted together": rewriteHeader("x-user-id", "one-for-all"),
    "5-2: requests without an identity are not counted": rewriteReply(LIMITED, (reply, { headers }) =>
      reply.status === 429 && !headers["x-api-key"] && !headers["x-user-id"]
        ? { ...reply, status: 404 }
        : reply,
    ),
  }),
  ...differences({
    "8.5-4: a rate-limit rule for a contained word matches whole path segments only": rewritePath(
      ["POST", /charts-new/],
      () => "/nothing",
    ),
    "8.5-4: a request with both headers is counted by its user": rewriteRequest(LIMITED, (request) => {
      if (!("x-user-id" in request.headers)) return request;
      const { "x-api-key": _, ...headers } = request.headers;
      return { ...request, headers };
    }),
  }),
];

/** Uploads of every export that has a file or none, as if none had been aborted. */
function repeatUploads(keys: readonly string[], uploads: readonly string[]): readonly string[] {
  return keys.length > 0 || uploads.length > 0 ? [...uploads, ...uploads, ...keys] : uploads;
}
