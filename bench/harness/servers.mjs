import { call } from "./calls.mjs";

/** The servers of the sides, started one after the other in their order, and a way to stop them all. */
export async function openServers(sides, open) {
  const servers = {};
  const close = async () => {
    for (const side of sides) await servers[side]?.stop();
  };
  try {
    for (const side of sides) servers[side] = await open(side);
  } catch (error) {
    await close();
    throw error;
  }
  return { ...servers, close };
}

/** Leaves a thread of the emulator without values: else each of its runs keeps the messages of all before it. */
export async function emptied(url, thread_id) {
  const script = { match: { thread_id }, then: { status: "success", values: {} } };
  await call(url, "POST", "/_emulator/v1/agent/scripts", script);
}

/** Waits until no run of a thread is left to do, for as long as its figure may take. */
export async function settled(url, thread) {
  const left = async () =>
    (await call(url, "GET", `/threads/${thread}/runs?status=pending&limit=1`)).length > 0;
  const busy = async () => (await call(url, "GET", `/threads/${thread}`)).status === "busy";
  while ((await left()) || (await busy())) await new Promise((resolve) => setTimeout(resolve, 100));
}

/** What all benches of exports order, from the embedded store's bucket `traces`. */
export async function destinationOf(url) {
  const { id } = await call(url, "POST", "/api/v1/bulk-exports/destinations", {
    destination_type: "s3",
    display_name: "Bench",
    config: { bucket_name: "traces", prefix: "bench", region: "us-east-1" },
    credentials: { access_key_id: "emulator", secret_access_key: "emulator-secret" },
  });
  return id;
}
