import { expect, it } from "vitest";
import { startRig } from "../support/emulator.ts";
import { useRig } from "../support/use-rig.ts";

const rig = useRig("test", () => startRig());

async function refusal(method: string, path: string, body?: unknown) {
  const reply = await rig.call<{ error: unknown }>(method, `/_emulator/v1${path}`, body);
  return { status: reply.status, error: reply.body.error };
}

it("an unknown query parameter is refused with 422", async () => {
  const before = rig.emulator.clock.now();
  expect(await refusal("POST", "/clock/advance?dryrun=1", { by: "P7D" })).toEqual({
    status: 422,
    error: {
      code: "invalid_request",
      message: "query.dryrun: is not a known field",
      hint: "Valid names: dry_run.",
    },
  });
  expect(rig.emulator.clock.now()).toBe(before);
  expect((await refusal("GET", "/clock?at=now")).error).toMatchObject({
    hint: "Leave it out: this operation has no parameters.",
  });
});

it("an unknown body field is refused, naming the known ones", async () => {
  expect((await refusal("POST", "/clock/advance", { bye: "PT1S" })).error).toEqual({
    code: "invalid_request",
    message: "body.bye: is not a known field",
    hint: "Valid names: by, to, next, until, within.",
  });
});

it("an unknown operation is answered with 404 and the nearest one, or with all of them", async () => {
  expect(await refusal("POST", "/clock/advnace")).toMatchObject({
    status: 404,
    error: { code: "not_found", hint: "Did you mean /_emulator/v1/clock/advance?" },
  });
  const { error } = await refusal("GET", "/something-else-altogether");
  expect(error).toMatchObject({ hint: expect.stringMatching(/start with .*\/clock.*\/worlds/) });
});

it("verify, explain and until answer the same 404 for an unknown export", async () => {
  const id = "00000000-0000-4000-8000-00000000beef";
  const missing = {
    status: 404,
    error: {
      code: "not_found",
      message: `Bulk export ${id} does not exist.`,
      hint: "List the exports of a workspace with GET /api/v1/bulk-exports.",
    },
  };
  expect(await refusal("GET", `/exports/${id}/verify`)).toEqual(missing);
  expect(await refusal("GET", `/exports/${id}/explain?run=${id}`)).toEqual(missing);
  const until = { export: id, status: "COMPLETED" };
  expect(await refusal("POST", "/clock/advance", { until })).toEqual(missing);
});

it("a body may nest as deep as limits.json_levels of the world", async () => {
  const shallow = await startRig({ limits: { json_levels: 2 } });
  const advance = { until: { export: {} } };
  const { status, body } = await shallow.call("POST", "/_emulator/v1/clock/advance", advance);
  await shallow.close();
  expect({ status, body }).toMatchObject({
    status: 422,
    body: { error: { code: "too_deep", message: "The body nests deeper than 2 levels." } },
  });
});

it("an inbox accepts any query parameter", async () => {
  expect((await rig.call("POST", "/_emulator/inbox/mine?token=1", { a: 1 })).status).toBe(200);
});
