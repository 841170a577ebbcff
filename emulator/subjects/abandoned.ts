import { Refusal } from "../kernel/refusal.ts";
import type { HttpRequest } from "./message.ts";

/** Whether the client of a request has left, which ends long work for it. */
export type IsAbandoned = HttpRequest["isAbandoned"];

/** Throws a `Refusal` that nobody reads when the client has left. To be called between two steps of long work. */
export function refuseIfAbandoned(isAbandoned: IsAbandoned): void {
  if (isAbandoned?.())
    throw new Refusal(
      409,
      "interrupted",
      "The client closed the connection, so the work was stopped.",
      "Send the request again.",
    );
}
