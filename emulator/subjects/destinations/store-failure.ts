import {
  STORE_ERRORS,
  type StoreError,
  type StoreErrorCode,
  storeError,
} from "../../../contracts/spec/destinations/store-errors.ts";
import { DESTINATION_ERRORS, type DestinationErrorKey } from "../../../contracts/spec/failures.ts";
import type { Settings } from "../settings.ts";
import type { ObjectStoreError, ObjectStoreFailure } from "./object-store-client.ts";

/** The failure of an error reply, by the table of store errors (§7.3). */
export function storeFailure({
  code,
  status,
  message,
}: {
  readonly code: string;
  readonly status: number;
  readonly message: string;
}): ObjectStoreFailure {
  const { class: leadsTo, name } = storeError(code, status);
  return { failure: leadsTo === "interruption" ? "unavailable" : (name ?? "refused"), code, message };
}

/** The failure of a missing or invalid reply; only a destination with an endpoint_url can have an invalid endpoint. */
export function noStoreFailure(
  code: StoreErrorCode,
  message: string,
  hasEndpoint = true,
): ObjectStoreFailure {
  const { class: leadsTo, name } = storeError(code, null);
  const visibleName = name === "invalid_endpoint" && !hasEndpoint ? null : name;
  return { failure: leadsTo === "interruption" ? "unavailable" : (visibleName ?? "refused"), code, message };
}

/** The name of a failure and its message: `Access denied (…)`, or the code in front where §7.2 has no name. */
export function shownFailure({ failure, code, message }: ObjectStoreFailure): string {
  const name = isNamed(failure) ? DESTINATION_ERRORS[failure].name : code;
  return message.startsWith(code) && name === code ? message : `${name} (${message})`;
}

/** The error of §7.2 for a failed validation; undefined if §7.2 has none. */
export function validationError(
  { failure, code }: ObjectStoreFailure,
  hasEndpoint: boolean,
): DestinationErrorKey | undefined {
  if (isNamed(failure)) return failure;
  const { atValidation } = storeError(code, null);
  return atValidation === "invalid_endpoint" && !hasEndpoint ? undefined : (atValidation ?? undefined);
}

/** The effective table of store errors, with the names in words. */
export function storeErrorTable({ assumptions }: Settings): Readonly<Record<string, unknown>> {
  const isRetried = assumptions["export.store_outage"] === "infrastructure interruption";
  const others = { "any other 3xx or 4xx": storeError("", 400), "any other 5xx": storeError("", 500) };
  const rows = Object.entries<StoreError>({ ...STORE_ERRORS, ...others }).map(([code, row]) => {
    const { status, name, atValidation } = row;
    const leadsTo = isRetried ? row.class : "ends the run";
    return [code, { status, class: leadsTo, in_errors: wordsOf(name), at_validation: wordsOf(atValidation) }];
  });
  return Object.fromEntries(rows);
}

function wordsOf(name: DestinationErrorKey | null): string {
  return name === null ? "its own code" : DESTINATION_ERRORS[name].name;
}

function isNamed(failure: ObjectStoreError): failure is DestinationErrorKey {
  return failure in DESTINATION_ERRORS;
}
