// What the suite of the open-source agent server takes from files and packages that are not here.

const JSON_TYPE = { "content-type": "application/json" };

export const BASE_MESSAGE_REF = "";
export const baseMessageDefinitions = {};

export async function gatherIterator(items) {
  const results = [];
  for await (const item of await items) results.push(item);
  return results;
}

export function findLast(list, isWanted) {
  return list.findLast(isWanted);
}

/** Deletes by the public operations what the server of the suite empties by one of its own. */
export async function truncate(url, kinds) {
  if (kinds === "all" || kinds.threads) await deleteAll(url, "threads", "thread_id");
  if (kinds === "all" || kinds.assistants) await deleteAll(url, "assistants", "assistant_id");
}

async function deleteAll(url, collection, id) {
  const search = { method: "POST", headers: JSON_TYPE, body: JSON.stringify({ limit: 1000 }) };
  const results = await (await fetch(`${url}/${collection}/search`, search)).json();
  for (const item of results)
    if (item.metadata?.created_by !== "system")
      await fetch(`${url}/${collection}/${item[id]}`, { method: "DELETE" });
}
