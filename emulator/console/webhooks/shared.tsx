import type { deliveryView } from "../../subjects/webhooks/view.ts";
import { addressOf } from "../model/router.ts";
import { WhyLink } from "../parts/why-link.tsx";

/** A delivery in the control API. */
export type DeliveryView = ReturnType<typeof deliveryView>;

export function RunLink({ id, status }: { readonly id: string; readonly status: string }) {
  return (
    <>
      <a class="mono" href={addressOf("runs", id)}>
        {id.slice(0, 8)}
      </a>{" "}
      {status}
    </>
  );
}

/** The reason of the end of a delivery, with the fault that dropped it. */
export function Reason({ delivery: { reason, dropped_by } }: { readonly delivery: DeliveryView }) {
  if (dropped_by === undefined) return <span class="key">{reason}</span>;
  return (
    <>
      The fault{" "}
      <a class="mono" href={addressOf("faults", null, { text: dropped_by })}>
        {dropped_by}
      </a>{" "}
      dropped it. <WhyLink id={dropped_by} />
    </>
  );
}
