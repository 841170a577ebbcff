import { describe, expectTypeOf, it } from "vitest";
import type { ClockView } from "../../emulator/client/views.ts";
import type { JournalEntry } from "../../emulator/kernel/journal.ts";
import type { Control, FaultOrder } from "../../emulator/runtime/index.ts";
import type { CallProblem } from "../../emulator/runtime/library/control.ts";

/** Called by nobody: the compiler checks what is in it. */
function typed(control: Control, id: string) {
  return {
    clock: control("GET", "/clock"),
    status: control("GET", "/status"),
    journal: control("GET", "/journal?since=3"),
    delivery: control("GET", `/webhooks/deliveries/${id}`),
    deliveries: control("GET", "/webhooks/deliveries?limit=3&status=delivered"),
    inPast: control("GET", `/webhooks/deliveries?as_of=${id}`),
    file: control("GET", `/snapshots/${id}/file`),
    loaded: control("POST", `/snapshots/${id}/load`),
    frozen: control("POST", "/clock/freeze"),
    saved: control("POST", "/snapshots", { name: "a" }),
    armed: control("POST", "/faults", { preset: "worker_crash" }),
    own: control<{ readonly mine: true }>(String("GET"), String("/clock")),
  };
}

/** The same for what the compiler has to refuse. */
function expectRefusal(control: Control, path: string) {
  return [
    // @ts-expect-error There is no control operation GET /clok; see docs/look-up/control-api.md
    control("GET", "/clok"),
    // @ts-expect-error There is no control operation GET /clock/advance.
    control("GET", "/clock/advance"),
    // @ts-expect-error Of a snapshot there is no such part.
    control("GET", "/snapshots/mine/fyle"),
    // @ts-expect-error GET /journal has no parameter sinse.
    control("GET", "/journal?sinse=3"),
    // @ts-expect-error POST /snapshots takes a body with name: control(method, path, body)
    control("POST", "/snapshots"),
    // @ts-expect-error The name is missing.
    control("POST", "/snapshots", { replace: true }),
    // @ts-expect-error Time is given as text.
    control("POST", "/clock/advance", { by: 6 }),
    // @ts-expect-error There is no such preset.
    control("POST", "/faults", { preset: "worker_crsh" }),
    // @ts-expect-error This operation takes no body.
    control("POST", "/clock/freeze", { by: "PT1H" }),
    // @ts-expect-error A path that is not a literal needs the type of its reply.
    control("GET", path),
  ];
}

type Saving = "POST /snapshots takes a body with name: control(method, path, body)";

type Replies = { readonly [Name in keyof ReturnType<typeof typed>]: Awaited<ReturnType<typeof typed>[Name]> };

describe("control()", () => {
  it("is typed by method and path", () => {
    expectTypeOf<Replies["clock"]["mode"]>().toEqualTypeOf<ClockView["mode"]>();
    expectTypeOf<Replies["status"]["turn"]>().toEqualTypeOf<number>();
    expectTypeOf<Replies["journal"]>().toEqualTypeOf<readonly JournalEntry[]>();
    expectTypeOf<Replies["delivery"]["attempts"]["length"]>().toEqualTypeOf<number>();
    expectTypeOf<Replies["deliveries"][number]>().toEqualTypeOf<Replies["delivery"]>();
    expectTypeOf<Replies["inPast"]>().toEqualTypeOf<Replies["deliveries"]>();
    expectTypeOf<Replies["file"]>().toEqualTypeOf<string>();
    expectTypeOf<Replies["loaded"]["turn"]>().toEqualTypeOf<number>();
    expectTypeOf<Replies["frozen"]["mode"]>().toEqualTypeOf<string>();
    expectTypeOf<Replies["saved"]>().toEqualTypeOf<Replies["loaded"]>();
    expectTypeOf<Replies["armed"]["hits"]>().toEqualTypeOf<number>();
    expectTypeOf<Replies["own"]>().toEqualTypeOf<{ readonly mine: true }>();
    expectTypeOf(expectRefusal).toBeFunction();
    expectTypeOf<CallProblem<"POST", "/snapshots">>().toEqualTypeOf<Saving>();
    expectTypeOf<
      CallProblem<"GET", "/clok">
    >().toEqualTypeOf<"unknown control operation GET /clok; see docs/look-up/control-api.md">();
  });

  it("the points, the operations and the regions of a fault are those of its target", () => {
    const orders: readonly FaultOrder[] = [
      { target: "worker", match: { at: "file.written", attempt: [0, 1] }, then: { crash: true } },
      { target: "s3", match: { op: ["PutObject", "Upload*"] }, then: { s3_error: "AccessDenied" } },
      { target: "http", match: { op: "GET /threads/{thread_id}", region: "eu" }, then: { status: 503 } },
      { target: "http", match: { op: "getBulkExport" }, then: { delay: "PT1S" } },
      { preset: "worker_crash", match: { at: "rows.read" }, times: 2 },
      // @ts-expect-error Did you mean file.written?
      { target: "worker", match: { at: "file.writen" }, then: { crash: true } },
      // @ts-expect-error Did you mean PutObject?
      { target: "s3", match: { op: "PutObjekt" }, then: { reset: true } },
      // @ts-expect-error Did you mean getBulkExport?
      { target: "http", match: { op: "getBulkExprt" }, then: { status: 503 } },
      // @ts-expect-error There are two regions.
      { target: "http", match: { region: "uk" }, then: { status: 503 } },
      // @ts-expect-error A webhook has no point.
      { target: "webhook", match: { at: "file.written" }, then: { drop: true } },
    ];
    expectTypeOf(orders).toEqualTypeOf<readonly FaultOrder[]>();
  });
});
