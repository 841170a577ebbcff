import type { NoData } from "../../kernel/types.ts";

/** What a delayed request (target http) waits for. */
export type FaultEvents = {
  /** `ticket`: the reply that the request waits for. */
  readonly "http.delay_over": { readonly ticket: number };
};

export type FaultEffects = {
  /** Holds the clock until the request has had its turn. */
  readonly "http.resume": { readonly data: NoData; readonly result: NoData };
};
