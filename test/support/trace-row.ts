/** A row that is its own trace, of the project and time that the stories send most, as `POST /runs/batch` takes it. */
export function traceRow(id: string, name: string) {
  return {
    id,
    trace_id: id,
    dotted_order: dottedOrder(id),
    name,
    run_type: "chain",
    session_name: "shop",
    start_time: "2026-02-26T00:00:00Z",
  };
}

/** Where a row of {@link traceRow} stands, for what is sent about it later. */
export function dottedOrder(id: string): string {
  return `20260226T000000000000Z${id}`;
}
