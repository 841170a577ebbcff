import { freeForm } from "../../../contracts/spec/fields.ts";
import { FILTER, LIST_QUERY, listOf } from "../control-list.ts";
import { cause, control } from "../control-operation.ts";
import { armFault, faultById, faultView, listFaults, removeFault, removeFaults } from "./rules.ts";

/** Operations that arm, list and remove faults. */
export const FAULT_OPERATIONS = [
  control({
    method: "GET",
    path: "/faults",
    summary:
      "List the faults in the order in which they were armed, each with its hits. `kind` is the target.",
    query: { ...LIST_QUERY, status: FILTER, kind: FILTER },
    run: ({ world }, { query }) =>
      listOf(listFaults(world.reader, world.now), query, {
        filters: { status: ({ state }) => state, kind: ({ target }) => target },
        show: (fault) => fault,
        defaultLimit: world.ports.settings.limits.faults,
      }),
  }),
  control({
    method: "POST",
    path: "/faults",
    summary:
      "Arm a fault: `target`, `match` and `then`, or a `preset` that stands for them. `times`, `ttl` and `optional` are optional.",
    body: freeForm(),
    run: ({ world }, { body }) => world.turn(cause("faults.arm"), (turn) => armFault(turn, body)),
  }),
  control({
    method: "DELETE",
    path: "/faults",
    summary: "Remove all faults.",
    run: ({ world }) => ({ deleted: world.turn(cause("faults.remove"), removeFaults) }),
  }),
  control({
    method: "GET",
    path: "/faults/{id}",
    summary: "Show one fault with its hits.",
    run: ({ world }, { path }) => faultView(faultById(world.reader, path.id ?? ""), world.now),
  }),
  control({
    method: "DELETE",
    path: "/faults/{id}",
    summary: "Remove one fault.",
    run({ world }, { path }) {
      const id = path.id ?? "";
      world.turn(cause("faults.remove", id), (turn) => removeFault(turn, id));
      return { deleted: id };
    },
  }),
] as const;
