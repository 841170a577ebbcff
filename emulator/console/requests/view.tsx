import { CONTROL_PREFIX } from "../../subjects/control-prefix.ts";
import type { RecordedRequest } from "../../subjects/recording.ts";
import { client } from "../model/client.ts";
import { turnsNow } from "../model/live.ts";
import { useResource } from "../model/resource.ts";
import { addressWith, go, route } from "../model/router.ts";
import { Empty } from "../parts/empty.tsx";
import { ChoiceField } from "../parts/field.tsx";
import { Json } from "../parts/json.tsx";
import { Loaded } from "../parts/states.tsx";
import { Time } from "../parts/time.tsx";
import { CheckExchange } from "./check-exchange.tsx";

const MAX_VISIBLE_REQUESTS = 300;

/** A recorded request with the fields that the specification does not define. */
interface Exchange extends RecordedRequest {
  readonly number: number;
  readonly beyond: readonly (readonly [label: string, fields: readonly string[]])[];
}

const FILTERS = [
  ["api", "to the API"],
  ["all", "all, including the control API"],
  ["beyond", "with fields beyond the specification"],
  ["refused", "that were refused"],
] as const;

/** The recent requests and replies, with the fields that nothing reads or defines. */
export function RequestsView() {
  const filter = route.value.query.get("show") ?? "api";
  const recording = useResource(
    "recording",
    () => client.recording() as Promise<readonly (object | RecordedRequest)[]>,
  );
  return (
    <>
      <header class="row">
        <h1>Requests</h1>
        <span class="spacer" />
        <ChoiceField
          name="Show"
          value={filter}
          set={(show) => go(addressWith({ show }), true)}
          options={FILTERS}
        />
      </header>
      <Loaded resource={recording}>
        {([, ...lines]) => {
          const exchanges = exchangesOf(lines as readonly RecordedRequest[]);
          const list = exchanges.filter((each) => matchesFilter(each, filter)).toReversed();
          return list.length === 0 ? (
            <Empty>No such requests yet. Credentials are not recorded.</Empty>
          ) : (
            <ol class="requests">
              {list.slice(0, MAX_VISIBLE_REQUESTS).map((each) => (
                <RequestRow key={each.number} exchange={each} />
              ))}
            </ol>
          );
        }}
      </Loaded>
    </>
  );
}

function matchesFilter({ status, beyond, path }: Exchange, filter: string): boolean {
  if (filter === "refused") return status >= 400;
  if (filter === "beyond") return beyond.length > 0;
  return filter === "all" || !path.startsWith(CONTROL_PREFIX);
}

/** A request and its turn have the same instant, method and path, and both lists have the same order. */
function exchangesOf(requests: readonly RecordedRequest[]): readonly Exchange[] {
  const turns = new Map<string, ReturnType<typeof turnsNow>[number][]>();
  for (const turn of turnsNow()) {
    const { type, detail = {} } = turn.cause;
    if (type !== "request") continue;
    const key = `${turn.now} ${detail.method} ${detail.path}`;
    turns.set(key, [...(turns.get(key) ?? []), turn]);
  }
  return requests.map((request, number) => {
    const turn = turns.get(`${request.at} ${request.method} ${request.path}`)?.shift();
    const fields = [
      ["nothing reads", turn?.unknown_fields],
      ["sent beyond", turn?.sent_beyond],
      ["answered beyond", turn?.answered_beyond],
    ] as const;
    const beyond = fields.flatMap(([label, names = []]) =>
      names.length > 0 ? [[label, names] as const] : [],
    );
    return { ...request, number, beyond };
  });
}

function RequestRow({ exchange }: { readonly exchange: Exchange }) {
  const { at, method, path, query, headers, status, body, reply, beyond } = exchange;
  return (
    <li>
      <details class="card run">
        <summary>
          <span class={`status ${status < 400 ? "good" : "bad"}`}>
            <span aria-hidden="true">{status < 400 ? "●" : "✕"}</span> {status}
          </span>{" "}
          <strong class="mono">{method}</strong> <span class="mono key">{path}</span> <Time at={at} />{" "}
          {beyond.length > 0 && <span class="pill wait">○ {beyond.map(([label]) => label).join(", ")}</span>}
        </summary>
        {beyond.map(([label, names]) => (
          <p key={label}>
            <strong>{label}</strong> <code>{names.join(", ")}</code>
          </p>
        ))}
        <div class="two">
          <section aria-label="Request">
            <h3>Request</h3>
            <Json value={{ ...(query !== "" && { query }), headers, body: parseBody(body) }} />
          </section>
          <section aria-label="Reply">
            <h3>Reply</h3>
            <Json value={parseBody(reply)} />
          </section>
        </div>
        {!path.startsWith(CONTROL_PREFIX) && reply !== null && <CheckExchange request={exchange} />}
      </details>
    </li>
  );
}

function parseBody(text: string | null): unknown {
  try {
    return text === null || text === "" ? text : JSON.parse(text);
  } catch {
    return text;
  }
}
