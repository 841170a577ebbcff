import { jsonOf, type Members } from "../../contracts/engine/json.ts";
import type { Delivery, ReadFile } from "../../contracts/engine/target.ts";
import type { Change } from "./row.ts";

/** Shows other keys than there are; what is asked of them is answered by the true ones. */
export function renameKeys(rename: (key: string) => string): Required<Pick<Change, "objects">> {
  return {
    objects(store) {
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
    },
  };
}

/** Rewrites the rows of a file. */
export function rewriteRows(change: (row: Members) => Members): Change {
  return { file: (file) => ({ ...file, rows: file.rows.map(change) }) };
}

/** Sets columns of each row. */
export function setColumns(change: (row: Members) => Members): Change {
  return rewriteRows((row) => ({ ...row, ...change(row) }));
}

/** Rewrites the columns of a file. */
export function rewriteColumns(change: (columns: ReadFile["columns"]) => ReadFile["columns"]): Change {
  return { file: (file) => ({ ...file, columns: change(file.columns) }) };
}

/** Rewrites each delivery. */
export function rewriteEach(
  change: (delivery: Delivery) => Partial<Delivery>,
): Required<Pick<Change, "deliveries">> {
  return { deliveries: (all) => all.map((one) => ({ ...one, ...change(one) })) };
}

/** Rewrites the run in each delivery. */
export function rewritePayload(change: (run: Members) => unknown): Change {
  return rewriteEach(({ body }) => ({ body: JSON.stringify(change(jsonOf(body) as Members)) }));
}

/** Adds headers to each delivery. */
export function setDeliveryHeaders(headers: Readonly<Record<string, string>>): Change {
  return rewriteEach((one) => ({ headers: { ...one.headers, ...headers } }));
}
