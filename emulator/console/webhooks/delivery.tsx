import { control } from "../model/actions.ts";
import { useReply } from "../model/resource.ts";
import { addressOf, go } from "../model/router.ts";
import { Action } from "../parts/action.tsx";
import { Fact, Facts } from "../parts/facts.tsx";
import { Json } from "../parts/json.tsx";
import { Loaded } from "../parts/states.tsx";
import { Status } from "../parts/status.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { WhyLink } from "../parts/why-link.tsx";
import { type DeliveryView, Reason, RunLink } from "./shared.tsx";

type Attempt = DeliveryView["attempts"][number];

const ATTEMPT_COLUMNS: readonly Column<Attempt>[] = [
  {
    name: "Attempt",
    number: true,
    show: ({ number, copy }) => (copy > 0 ? `${number} (copy ${copy})` : number),
  },
  { name: "Answer", show: ({ status, failure }) => status ?? failure ?? "none" },
  { name: "Message", show: ({ message, reply }) => <span class="key">{message ?? reply}</span> },
  { name: "Started", show: ({ started_at }) => <Time at={started_at} /> },
  { name: "Ended", show: ({ ended_at }) => <Time at={ended_at} /> },
  { name: "By", show: ({ faked }) => (faked ? "a fault" : "the receiver") },
];

/** One delivery with every attempt. */
export function DeliveryPage({ id }: { readonly id: string }) {
  const path = `/webhooks/deliveries/${encodeURIComponent(id)}`;
  const resource = useReply<DeliveryView>(path);
  return (
    <>
      <nav class="crumbs" aria-label="Path">
        <a href={addressOf("webhooks")}>Webhooks</a> / <span class="mono">{id}</span> <WhyLink id={id} />
      </nav>
      <Loaded resource={resource} heading="Delivery">
        {(delivery) => <DeliveryDetails delivery={delivery} />}
      </Loaded>
    </>
  );
}

function DeliveryDetails({ delivery }: { readonly delivery: DeliveryView }) {
  const { id, status, reason, url, run_id, run_status, redelivery_of, attempts, request } = delivery;
  const openDelivery = (reply: unknown) => go(addressOf("webhooks", (reply as { readonly id: string }).id));
  return (
    <>
      <header class="row">
        <h1>
          <Status status={status} />
        </h1>
        <span class="spacer" />
        <Action
          label="Redeliver"
          kind="main"
          call={control("POST", `/webhooks/deliveries/${encodeURIComponent(id)}/redeliver`, {})}
          onDone={openDelivery}
        />
      </header>
      {reason !== null && (
        <p class="why">
          <Reason delivery={delivery} />
        </p>
      )}
      {delivery.passed_by !== null && <p class="why">Allowed only by {delivery.passed_by}.</p>}
      <Facts>
        <Fact name="URL">
          <code>{url}</code>
        </Fact>
        <Fact name="Of run">
          <RunLink id={run_id} status={run_status} />
        </Fact>
        {redelivery_of !== null && (
          <Fact name="Sent again after">
            <a class="mono" href={addressOf("webhooks", redelivery_of)}>
              {redelivery_of.slice(0, 8)}
            </a>
          </Fact>
        )}
        <Fact name="Created">
          <Time at={delivery.created_at} />
        </Fact>
        <Fact name="Ended">
          <Time at={delivery.ended_at} />
        </Fact>
      </Facts>
      <h2>Attempts</h2>
      <Table
        label="Attempts"
        columns={ATTEMPT_COLUMNS}
        rows={attempts}
        keyOf={({ number, copy }) => `${number} ${copy}`}
      />
      <details class="card run">
        <summary>
          <strong>What is sent</strong>{" "}
          <span class="muted">{request.body_bytes.toLocaleString("en")} bytes</span>
        </summary>
        <Json value={{ headers: request.headers, body: request.body }} />
      </details>
    </>
  );
}
