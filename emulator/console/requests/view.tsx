import { useState } from "preact/hooks";
import type { ExchangeResult } from "../../../contracts/engine/oracle/oracle.ts";
import { parseExact } from "../../../contracts/spec/exact-json.ts";
import type { RequestView } from "../../control/requests.ts";
import { CONTROL_PREFIX } from "../../subjects/control-prefix.ts";
import type { RecordedRequest } from "../../subjects/recording.ts";
import { control } from "../model/actions.ts";
import { client } from "../model/client.ts";
import { useResource } from "../model/resource.ts";
import { addressWith, go, route } from "../model/router.ts";
import { ChoiceField } from "../parts/field.tsx";
import { Json } from "../parts/json.tsx";
import { List } from "../parts/list.tsx";
import { RequestButton } from "../parts/request-button.tsx";
import { Loaded } from "../parts/states.tsx";
import { Time } from "../parts/time.tsx";
import { TurnLink } from "../parts/turn-link.tsx";

/** The members that the specification does not define, by their name for users. */
const BEYOND: Readonly<Record<string, string>> = {
  unknown_fields: "nothing reads",
  sent_beyond: "sent beyond",
  answered_beyond: "answered beyond",
};

const FILTERS = [
  ["api", "to the API"],
  ["all", "all, including the control API"],
  ["beyond", "with fields beyond the specification"],
  ["refused", "that were refused"],
] as const;

/** The recent requests and replies, with the fields that nothing reads or defines. */
export function RequestsView() {
  const { query } = route.value;
  const [filter, turn] = [query.get("show") ?? "api", query.get("turn")];
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
      {turn !== null && (
        <p>
          The request of turn {turn}. <a href={addressWith({ turn: null })}>All requests</a>
        </p>
      )}
      <List<RequestView>
        label="Requests"
        path="/requests"
        fixed={{ show: filter, ...(turn !== null && { turn }) }}
        filters={{ method: "Method", status: "Status" }}
        empty="No such requests yet. Credentials are not recorded."
        // A test sends other control requests than the console.
      >
        {(list) => (
          <ol class="requests">
            {list.map((each) => (
              <RequestRow key={each.number} request={each} isFirstOpen={turn !== null} />
            ))}
          </ol>
        )}
      </List>
    </>
  );
}

interface RequestRowProps {
  readonly request: RequestView;
  readonly isFirstOpen: boolean;
}

function RequestRow({ request, isFirstOpen }: RequestRowProps) {
  const { number, at, method, path, status, turn, beyond } = request;
  const [isOpen, setOpen] = useState(isFirstOpen);
  const lists = Object.entries(beyond).map(([name, names]) => [BEYOND[name], names.join(", ")] as const);
  return (
    <li>
      <details class="card run" open={isFirstOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span class={`status ${status < 400 ? "good" : "bad"}`}>
            <span aria-hidden="true">{status < 400 ? "●" : "✕"}</span> {status}
          </span>{" "}
          <strong class="mono">{method}</strong> <span class="mono key">{path}</span> <Time at={at} />{" "}
          {lists.length > 0 && <span class="pill wait">○ {lists.map(([label]) => label).join(", ")}</span>}
        </summary>
        {lists.map(([label, names]) => (
          <p key={label}>
            <strong>{label}</strong> <code>{names}</code>
          </p>
        ))}
        {turn !== null && (
          <p>
            <TurnLink turn={turn} />
          </p>
        )}
        {isOpen && <RequestContent number={number} />}
      </details>
    </li>
  );
}

/** Headers and bodies, which are read when they are opened. */
function RequestContent({ number }: { readonly number: number }) {
  const path = `/requests/${number}`;
  const exchange = useResource(path, () => client.call<RecordedRequest>("GET", path));
  return (
    <Loaded resource={exchange}>
      {(request) => (
        <>
          <div class="two">
            <section aria-label="Request">
              <h3>Request</h3>
              <Json
                value={{
                  ...(request.query !== "" && { query: request.query }),
                  headers: request.headers,
                  body: parseBody(request.body),
                }}
              />
            </section>
            <section aria-label="Reply">
              <h3>Reply</h3>
              <Json value={parseBody(request.reply)} />
            </section>
          </div>
          {!request.path.startsWith(CONTROL_PREFIX) && request.reply !== null && (
            <CheckExchange request={request} />
          )}
        </>
      )}
    </Loaded>
  );
}

function parseBody(text: string | null): unknown {
  try {
    return text === null || text === "" ? text : parseExact(text);
  } catch {
    return text;
  }
}

/** Checks one exchange against the contract. */
function CheckExchange({ request }: { readonly request: RecordedRequest }) {
  const { at, region, method, path, query, headers, body, status, reply } = request;
  const line = { at, region, method, path, query, headers, body, status, reply };
  return (
    <RequestButton<ExchangeResult>
      label="Check against the contract"
      call={control("POST", "/recording/check", line)}
    >
      {({ verdict, findings }) => (
        <>
          <p class={`status ${verdict === "PASS" ? "good" : verdict === "FAIL" ? "bad" : "wait"}`}>
            <span aria-hidden="true">{verdict === "PASS" ? "●" : "✕"}</span> {verdict}
            {verdict === "PASS" && ": the exchange keeps the contract"}
          </p>
          {findings.map(({ text, verdict: each, blame, requirement, section, expected, actual }, index) => (
            <details key={index} class="run">
              <summary>
                <strong>
                  {each} ({blame})
                </strong>{" "}
                §{requirement ?? section} {text}
              </summary>
              <Json value={{ expected, actual }} />
            </details>
          ))}
        </>
      )}
    </RequestButton>
  );
}
