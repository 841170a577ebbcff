import type { Operation } from "../../spec/operation.ts";
import type { Profile } from "../profile.ts";

/** A request and its reply, with the operation that they belong to. */
export interface ParsedExchange {
  readonly row: Operation;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** JSON of the request, its text if it is not JSON; undefined when empty or unknown. */
  readonly requestBody: unknown;
  readonly status: number;
  readonly body: unknown;
  readonly profile: Profile;
}

/** Whether the request was accepted. */
export function isAccepted({ status }: Pick<ParsedExchange, "status">): boolean {
  return status >= 200 && status < 300;
}
