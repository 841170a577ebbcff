import { LISTED_STATUSES } from "../../spec/agent/lifecycle.ts";
import { RUN_FIELD_NAMES } from "../../spec/agent/resources.ts";
import { LIST_RUNS } from "../../spec/limits.ts";
import { isMembers, type Members } from "../json.ts";
import { chosenBy } from "../profile.ts";
import { choice, fact } from "./check-reply.ts";
import type { OracleFinding, ParsedExchange } from "./oracle.ts";

/** The names of `select`, an empty list without it; undefined in a spelling that the specification does not show. */
export function selectedFields({ query }: Pick<ParsedExchange, "query">): readonly string[] | undefined {
  const isSpeltOtherwise = Object.keys(query).some((name) => name.startsWith("select["));
  const names = valuesOf(query.select);
  return isSpeltOtherwise || names.some((name) => /[,[]|^$/.test(name)) ? undefined : names;
}

/** §4.1: compares a list of runs with the parameters that it was requested with. */
export function checkThreadRunList(exchange: ParsedExchange): readonly (OracleFinding | undefined)[] {
  const { body } = exchange;
  if (!Array.isArray(body)) return [];
  const runs = body.filter(isMembers);
  return [
    limitFinding(valuesOf(exchange.query.limit), body.length),
    ...statusFindings(exchange, runs),
    ...selectFindings(selectedFields(exchange), runs),
  ];
}

/** A repeated or empty limit is ambiguous, and bounds of it are not shown. */
function limitFinding(limits: readonly string[], count: number): OracleFinding | undefined {
  const [text = "", ...others] = limits;
  const limit = limits.length === 0 ? LIST_RUNS.limit : Number(text);
  if (others.length > 0 || (limits.length === 1 && text.trim() === "")) return undefined;
  if (Number.isNaN(limit)) return fact("4.1-3", `a limit that is not an integer must be refused: ${text}`);
  if (limit < 1) return choice("4.1-4", `limit ${text} is accepted`, "agent.list_limit");
  if (count <= limit) return undefined;
  const request = limits.length === 0 ? "without limit" : `with limit ${text}`;
  return { ...fact("4.1-1", `${request}, at most ${limit} runs are listed`, count), expected: limit };
}

function statusFindings({ query, profile }: ParsedExchange, runs: readonly Members[]) {
  const filters = valuesOf(query.status).filter((filter) => filter !== "");
  if (filters.length === 0) return [];
  const isRunningAccepted = chosenBy(profile, "agent.running_filter") === "accepted";
  const accepted: readonly string[] = [...LISTED_STATUSES, ...(isRunningAccepted ? ["running"] : [])];
  const unknown = filters.find((filter) => !accepted.includes(filter));
  const other = runs.find(({ status }) => typeof status === "string" && !filters.includes(status));
  return [
    unknown === undefined ? undefined : fact("2.1-4", `the list must refuse status=${unknown}`),
    other && { ...fact("2.1-4", "each run has the requested status", other.status), expected: filters[0] },
  ];
}

function selectFindings(selected: readonly string[] | undefined, runs: readonly Members[]) {
  if (selected === undefined) return [];
  const fields: readonly string[] = RUN_FIELD_NAMES;
  const unknown = selected.find((name) => !fields.includes(name));
  if (unknown !== undefined) return [fact("4.1-2", `the list must refuse select=${unknown}`)];
  const expected = selected.length === 0 ? fields : [...new Set(selected)];
  const lacking = runs.find((run) => expected.some((name) => !(name in run)));
  const more = runs.find((run) => fields.some((name) => name in run && !expected.includes(name)));
  const described = (run: Members, text: string) => ({
    ...fact(selected.length === 0 ? "2.1-1" : "4.1-2", text, Object.keys(run)),
    expected,
  });
  return [
    lacking && described(lacking, "each run has all requested fields"),
    more && described(more, "each run has only the selected fields"),
  ];
}

function valuesOf(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : [value].flat();
}
