import { object, optional, text } from "../../contracts/spec/fields.ts";
import { type ControlOperation, control } from "./operation.ts";

/** Worlds beside this one, and snapshots of it. */
export const WORLD_OPERATIONS: readonly ControlOperation[] = [
  control({
    method: "GET",
    path: "/worlds",
    summary: "The worlds of this process, with their addresses.",
    run: ({ worlds }) => worlds.list(),
  }),
  control({
    method: "GET",
    path: "/worlds/{world}",
    summary: "One world.",
    run: ({ worlds }, { path }) => worlds.find(path.world ?? ""),
  }),
  control({
    method: "POST",
    path: "/worlds",
    summary:
      "Make a world: empty, or going on from a world or a snapshot; `seeded` is as the configuration begins it.",
    body: object({ id: optional(text()), from: optional(text()) }),
    run: ({ worlds }, { body }) => worlds.create(body.id, body.from),
  }),
  control({
    method: "DELETE",
    path: "/worlds/{world}",
    summary: "Remove a world with all that it holds; worlds and snapshots that were made of it stay.",
    run: ({ worlds }, { path }) => worlds.remove(path.world ?? ""),
  }),
  control({
    method: "GET",
    path: "/snapshots",
    summary: "The snapshots of all worlds.",
    run: ({ snapshots }) => snapshots.list(),
  }),
  control({
    method: "POST",
    path: "/snapshots",
    summary: "Keep this world as it is now; a snapshot of the same name is replaced.",
    body: object({ name: text() }),
    run: ({ snapshots }, { body }) => snapshots.save(body.name),
  }),
  control({
    method: "POST",
    path: "/snapshots/{name}/load",
    summary: "Put what a snapshot holds in the place of what this world holds.",
    run: ({ snapshots }, { path }) => snapshots.load(path.name ?? ""),
  }),
  control({
    method: "DELETE",
    path: "/snapshots/{name}",
    summary: "Remove a snapshot; worlds that go on from it stay.",
    run({ snapshots }, { path }) {
      snapshots.remove(path.name ?? "");
      return { removed: path.name };
    },
  }),
];
