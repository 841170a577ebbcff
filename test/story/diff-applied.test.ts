import fc from "fast-check";
import { expect, it } from "vitest";
import type { Emulator } from "../../emulator/runtime/index.ts";
import type { Changes, WorldDifference } from "../../emulator/subjects/world-difference.ts";
import { casesOf } from "../support/depth.ts";
import { startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

const rig = useRig("file", () => startRig({ seed: 5 }));

type Fields = Record<string, unknown>;
type Items = Map<string, Fields>;

/** The threads and trace rows with their fields, as a difference from a world without any. */
function itemsOf({ records, rows }: WorldDifference): Items {
  return applied(new Map(), [records.agent_threads, rows]);
}

/** `a` with a difference applied to it. */
function applied(a: Items, all: readonly (Changes | undefined)[]): Items {
  const items = new Map([...a].map(([key, fields]) => [key, { ...fields }]));
  for (const { key, change, fields = [] } of all.flatMap((each) => each?.items ?? [])) {
    if (change === "removed") items.delete(key);
    else items.set(key, set(items.get(key) ?? {}, fields));
  }
  return items;
}

function set(fields: Fields, changes: readonly { readonly path: string; readonly b: unknown }[]): Fields {
  const result = structuredClone(fields);
  for (const { path, b } of changes) {
    const names = path.split(".");
    const last = names.pop() ?? "";
    let at = result;
    for (const name of names) {
      at[name] ??= {};
      at = at[name] as Fields;
    }
    if (b === null) delete at[last];
    else at[last] = b;
  }
  return result;
}

const id = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
const start_time = "2026-02-01T00:00:00Z";
const number = fc.integer({ min: 1, max: 4 });

const change = fc.oneof(
  fc.record({ kind: fc.constant("thread" as const), n: number, value: number }),
  fc.record({ kind: fc.constant("rename" as const), n: number, value: number }),
  fc.record({ kind: fc.constant("remove" as const), n: number, value: number }),
  fc.record({ kind: fc.constant("row" as const), n: number, value: number }),
  fc.record({ kind: fc.constant("patch" as const), n: number, value: number }),
);

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** Requests that do not apply, such as those to a missing thread, are refused and change nothing. */
async function act(world: Emulator, { kind, n, value }: Change): Promise<void> {
  const thread = `/threads/${id(n)}`;
  const row = {
    id: id(n),
    trace_id: id(n),
    name: `n${value}`,
    run_type: "chain",
    start_time,
    session_name: "p",
  };
  if (kind === "thread") await world.request("/threads", { json: { thread_id: id(n), metadata: { value } } });
  if (kind === "rename")
    await world.request(thread, { method: "PATCH", json: { metadata: { more: value } } });
  if (kind === "remove") await world.request(thread, { method: "DELETE" });
  if (kind === "row") await world.request("/runs/batch", { json: { post: [row] } });
  if (kind === "patch")
    await world.request(`/runs/${id(n)}`, { method: "PATCH", json: { error: `e${value}` } });
}

it("a world with its difference from another one applied is the other one", async () => {
  const diff = (a: string, b: string) =>
    rig.emulator.control<WorldDifference>("GET", `/worlds/${a}/diff?with=${b}`);
  const changes = fc.array(change, { maxLength: 6 });
  const property = fc.asyncProperty(changes, changes, changes, async (common, first, second) => {
    const a = await rig.emulator.fork({ id: "a" });
    for (const each of common) await act(a, each);
    const b = await a.fork({ id: "b" });
    try {
      for (const each of first) await act(a, each);
      for (const each of second) await act(b, each);
      const difference = await diff("a", "b");
      const [before, after] = [itemsOf(await diff("main", "a")), itemsOf(await diff("main", "b"))];
      expect(applied(before, [difference.records.agent_threads, difference.rows])).toEqual(after);
      expect([difference.rows.cut, difference.rows.not_compared]).toEqual([0, 0]);
    } finally {
      await b.close();
      await a.close();
    }
  });
  await fc.assert(property, { numRuns: casesOf(224), seed: 13, endOnFailure: true });
});
