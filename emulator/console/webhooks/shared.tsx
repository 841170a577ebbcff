import type { deliveryView } from "../../subjects/webhooks/view.ts";
import { addressOf } from "../model/router.ts";

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
