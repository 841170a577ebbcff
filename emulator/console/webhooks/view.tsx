import { useState } from "preact/hooks";
import type { explainWebhook } from "../../subjects/webhooks/explain.ts";
import { control } from "../model/actions.ts";
import { useReply } from "../model/resource.ts";
import { addressOf, addressWith, route } from "../model/router.ts";
import { Action } from "../parts/action.tsx";
import { TextField } from "../parts/field.tsx";
import { Json } from "../parts/json.tsx";
import { TableList } from "../parts/list.tsx";
import { RequestButton } from "../parts/request-button.tsx";
import { Loaded } from "../parts/states.tsx";
import { Status } from "../parts/status.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { WhyLink } from "../parts/why-link.tsx";
import { DeliveryPage } from "./delivery.tsx";
import { type DeliveryView, Reason, RunLink } from "./shared.tsx";

/** The deliveries, the check of a URL, and the inboxes. */
export function WebhooksView() {
  const { id } = route.value;
  if (id !== null) return <DeliveryPage id={id} />;
  return (
    <>
      <h1>Webhooks</h1>
      <TableList<DeliveryView>
        label="Deliveries"
        path="/webhooks/deliveries"
        filters={{ status: "Status" }}
        empty="No delivery yet: a run with `webhook` makes one when it ends."
        columns={COLUMNS}
        keyOf={({ id }) => id}
      />
      <CheckUrl />
      <Inboxes />
    </>
  );
}

const COLUMNS: readonly Column<DeliveryView>[] = [
  { name: "Status", show: ({ status }) => <Status status={status} /> },
  {
    name: "Delivery",
    show: ({ id }) => (
      <a class="mono" href={addressOf("webhooks", id)}>
        {id.slice(0, 8)}
      </a>
    ),
  },
  { name: "URL", show: ({ url }) => <span class="mono key">{url}</span> },
  { name: "Of run", show: ({ run_id, run_status }) => <RunLink id={run_id} status={run_status} /> },
  { name: "Attempts", number: true, show: ({ attempts }) => attempts.length },
  { name: "Created", show: ({ created_at }) => <Time at={created_at} /> },
  { name: "Reason", show: (delivery) => <Reason delivery={delivery} /> },
  { name: "Cause", show: ({ id }) => <WhyLink id={id} /> },
];

type Explanation = ReturnType<typeof explainWebhook>;

const GLYPHS: Readonly<Record<string, string>> = {
  passed: "✓",
  refused: "✕",
  off: "–",
  not_reached: "○",
  when_sent: "◷",
};

const RULE_COLUMNS: readonly Column<Explanation["rules"][number]>[] = [
  { name: "Rule", show: ({ rule }) => <code>{rule}</code> },
  {
    name: "Verdict",
    show: ({ verdict }) => (
      <>
        <span aria-hidden="true">{GLYPHS[verdict]}</span> {verdict.replace("_", " ")}
      </>
    ),
  },
  { name: "§", show: ({ requirement }) => requirement },
];

/** The rule of §6.1 that decides on a URL. Sends nothing to the URL. */
function CheckUrl() {
  const [url, setUrl] = useState("https://example.com/hook");
  return (
    <section aria-label="Check a URL">
      <h2>Which rule decides on a URL</h2>
      <form class="card" onSubmit={(event) => event.preventDefault()}>
        <TextField name="URL" value={url} set={setUrl} hint="by the rules of §6.1; nothing is sent there" />
        <RequestButton<Explanation>
          key={url}
          label="Check"
          call={control("POST", "/webhooks/check", { url })}
        >
          {({ rules }) => (
            <Table label="Rules" columns={RULE_COLUMNS} rows={rules} keyOf={({ rule }) => rule} />
          )}
        </RequestButton>
      </form>
    </section>
  );
}

interface Inbox {
  readonly name: string;
  readonly messages: number;
}

interface Message {
  readonly id: string;
  readonly received_at: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The messages of the built-in receivers. */
function Inboxes() {
  const selectedInbox = route.value.query.get("inbox");
  const inboxes = useReply<readonly Inbox[]>("/webhooks/inbox");
  return (
    <section aria-label="Inboxes">
      <h2>Inboxes</h2>
      <Loaded resource={inboxes}>
        {(list) => (
          <>
            <p class="row">
              {list.length === 0 && (
                <span class="muted">
                  None yet: whatever is sent to <code>/_emulator/inbox/&lt;name&gt;</code> is kept there.
                </span>
              )}
              {list.map(({ name, messages }) => (
                <a
                  key={name}
                  class="button"
                  href={addressWith({ inbox: name })}
                  aria-current={name === selectedInbox ? "true" : undefined}
                >
                  {name} <span class="count">{messages}</span>
                </a>
              ))}
            </p>
            {selectedInbox !== null && <Messages inbox={selectedInbox} />}
          </>
        )}
      </Loaded>
    </section>
  );
}

function Messages({ inbox }: { readonly inbox: string }) {
  const path = `/webhooks/inbox/${encodeURIComponent(inbox)}`;
  const resource = useReply<readonly Message[]>(path);
  return (
    <Loaded resource={resource}>
      {(messages) => (
        <>
          {messages.toReversed().map(({ id, received_at, headers, body }) => (
            <details key={id} class="card run">
              <summary>
                <Time at={received_at} /> <span class="mono muted">{id.slice(0, 8)}</span>
              </summary>
              <Json value={{ headers, body }} />
            </details>
          ))}
          <p>
            <Action label={`Empty the inbox ${inbox}`} kind="danger" call={control("DELETE", path)} />
          </p>
        </>
      )}
    </Loaded>
  );
}
