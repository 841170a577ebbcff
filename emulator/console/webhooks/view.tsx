import { addressOf, route } from "../model/router.ts";
import { TableList } from "../parts/list.tsx";
import { Status } from "../parts/status.tsx";
import type { Column } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { WhyLink } from "../parts/why-link.tsx";
import { CheckUrl } from "./check-url.tsx";
import { DeliveryPage } from "./delivery.tsx";
import { Inboxes } from "./inboxes.tsx";
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
        look={({ id, status, url }) => ({ id, status, url })}
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
