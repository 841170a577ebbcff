import type { Operation } from "../../contracts/spec/operation.ts";
import { OPERATIONS } from "../../contracts/spec/operations.ts";
import { CONTROL_OPERATIONS } from "../../emulator/control/gateway.ts";
import { SCRIPT } from "../../emulator/subjects/agent/script.ts";
import type { ControlOperation } from "../../emulator/subjects/control-operation.ts";
import { code, codes, membersOf, page, plain, table } from "./markdown.ts";
import { scenarioMembers } from "./scenario-members.ts";

const SERVERS: Readonly<Record<Operation["server"], string>> = {
  platform: "The platform",
  agent: "The agent server",
  system: "Both",
};

/** The operations of the API, by the server that has them. */
export function operationsPage(): string {
  const sections = Object.entries(SERVERS).flatMap(([server, title]) => [
    `## ${title}`,
    table(
      ["Operation", "Request", "Description", "Members", "Statuses", "§"],
      Object.entries<Operation>(OPERATIONS)
        .filter(([, operation]) => operation.server === server)
        .map(([id, operation]) => rowOf(id, operation)),
    ),
  ]);
  return page(
    "Operations",
    "The operations of the API. `emulator openapi` prints every field. The specification does not show a request that is marked °. " +
      "`name?` is an optional member of the body, `?name` a query parameter, `?name!` a required one. Paths of the platform that do not begin with `/api` also exist below `/api/v1`, such as `/api/v1/sessions`. Paths with `/thread/` also exist with `/threads/`. Where the two APIs share an address, the body decides: the agent server gets an object with `assistant_id` (`POST /runs`) and a list (`POST /runs/batch`). Where a request has a body but no members here (`POST /runs/multipart`), `emulator openapi` describes it. The `op` of a fault is the name of an operation, or its method and path.",
    ...sections,
  );
}

function rowOf(
  id: string,
  { method, path, shown, summary, query, body, reply, refusals, section }: Operation,
) {
  return [
    code(id),
    `${code(`${method} ${path}`)}${shown ? "" : " °"}`,
    plain(summary),
    codes([...queryOf(query), ...membersOf(body)]),
    [reply.status, ...(reply.or ? [reply.or.status] : []), ...refusals].join(", "),
    section,
  ];
}

/** The test-only operations. */
export function controlPage(): string {
  const rows = CONTROL_OPERATIONS.filter(({ unversioned }) => !unversioned).map(controlRow);
  return page(
    "Control API",
    "Everything test-only is under `/_emulator/v1/` on both regional addresses, and acts on one [world](../understand/worlds.md). " +
      'Bodies and replies are JSON. Errors are `{"error":{"code","message","hint","requirement"}}`; `requirement` is the id of the statement of the specification that requires the refusal, if any, such as `4.1-3`. Refusals of the emulated API have it in the header `x-emulator-requirement`. `name?` is an optional member of the body, `?name` a query parameter, `?name!` a required one. With `?counts=1` a list becomes an object: `items`, `total`, `matching` (the number of items that match the filters), and `values` (of each filter parameter, the values that items have). Unknown members and parameters are refused with 422. ' +
      "No rate limit counts these calls. Every `GET` also takes `as_of`, a point in the [history](../understand/worlds.md#history), " +
      "unless it is marked ‡. [Settings](../understand/configuration.md#who-may-call-the-ports) decide who may call.",
    table(["Operation", "Description", "Members"], rows),
    `\`POST /faults\`: [Faults](faults.md) describes targets, \`match\`, \`then\` and presets. \`POST /agent/scripts\`: [Agents](../understand/agents-and-webhooks.md) has an example; a script has these members.`,
    table(["Member", "Meaning"], scriptRows()),
    "`POST /_emulator/inbox/{name}`, without `v1`, is a built-in webhook receiver.",
  );
}

function scriptRows() {
  return [...scenarioMembers("", SCRIPT)].flatMap(([path, { text, isOptional }]) =>
    text ? [[code(isOptional ? `${path}?` : path), plain(text)]] : [],
  );
}

function controlRow({ method, path, summary, query, body, hasHistory }: ControlOperation) {
  const mark = method === "GET" && hasHistory === false ? " ‡" : "";
  return [
    `${code(`${method} ${path}`)}${mark}`,
    plain(summary),
    codes([...queryOf(query), ...membersOf(body)]),
  ];
}

function queryOf(query: Operation["query"] | ControlOperation["query"] = {}): readonly string[] {
  return Object.entries(query).map(([name, field]) => `?${name}${"optional" in field ? "" : "!"}`);
}
