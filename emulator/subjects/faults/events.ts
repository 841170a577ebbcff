import type { NoData } from "../../kernel/types.ts";

/** Events of delayed requests (target http). */
export type FaultEvents = {
  /** `pendingReply`: the number of the pending reply that the request waits for. */
  readonly "http.delay_over": { readonly pendingReply: number };
};

export type FaultEffects = {
  /** Holds the clock until the request has had its turn. */
  readonly "http.resume": { readonly data: NoData; readonly result: NoData };
};
