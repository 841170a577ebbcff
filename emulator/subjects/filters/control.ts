import { object, text } from "../../../contracts/spec/fields.ts";
import { control } from "../control-operation.ts";
import { parseFilter, refusesColumns } from "./parse.ts";

/** Checks filters without an export. */
export const FILTER_OPERATIONS = [
  control({
    method: "POST",
    path: "/filters/check",
    recorded: false,
    summary:
      "Check whether an export accepts a filter (§2.5). If not, show the position of the mistake and a hint.",
    body: object({ filter: text({ minLength: 1, maxLength: 65_536 }) }),
    run({ world }, { body }) {
      const parseResult = parseFilter(body.filter, refusesColumns(world.ports.settings));
      return "filter" in parseResult
        ? { ok: true, problem: null }
        : { ok: false, problem: parseResult.problem };
    },
  }),
] as const;
