import { afterEach, beforeEach, expect, it } from "vitest";
import type { EmulatorOptions } from "../../emulator/runtime/index.ts";
import { sendSigned } from "../s3/signed-request.ts";
import { type Rig, startRig } from "../support/emulator.ts";
import { workingFolder } from "../support/emulator-process.ts";

let folder: string;
let rig: Rig;
let options: EmulatorOptions;

beforeEach(async () => {
  folder = workingFolder();
  options = { ephemeral: false, data: folder };
  rig = await startRig(options);
});

afterEach(async () => {
  await rig.close();
});

const create = (body: object) => rig.emulator.control("POST", "/worlds", body);
const remove = (id: string) => rig.emulator.control("DELETE", `/worlds/${id}`);

/** Of an object in a world, now or as of a turn. */
function send(method: string, world: string, turn?: number) {
  const port = Number(new URL(rig.emulator.s3Url).port);
  const headers = turn === undefined ? undefined : { "x-emulator-as-of": String(turn) };
  const request = { method, path: `/w/${world}/traces/object`, ...(headers && { headers }) };
  return sendSigned({ port }, { ...request, ...(method === "PUT" && { body: "first body" }) });
}

it("a fork reads an object of its history that its source has deleted, also after a removal of the source and a restart", async () => {
  await create({ id: "source" });
  expect(await send("PUT", "source")).toMatchObject({ status: 200 });
  const reply = await rig.emulator.request("/w/source/_emulator/v1/status");
  const { turn } = (await reply.json()) as { turn: number };
  expect(await send("DELETE", "source")).toMatchObject({ status: 204 });
  await create({ id: "fork", from: "source" });
  await remove("source");
  // What no head leads to goes with those that are removed.
  for (let n = 0; n < 20; n += 1) {
    await create({ id: `other-${n}`, from: "fork" });
    await remove(`other-${n}`);
  }
  expect(await send("GET", "fork")).toMatchObject({ status: 404 });
  expect(await send("GET", "fork", turn)).toMatchObject({ status: 200, text: "first body" });
  expect(await send("PUT", "fork")).toMatchObject({ status: 200 });
  await rig.close();
  rig = await startRig(options);
  expect(await send("GET", "fork", turn)).toMatchObject({ status: 200, text: "first body" });
});
