import { describe, expect, it, onTestFinished } from "vitest";
import { type Rig, runToCompletion, startExportRig, startRig } from "../support/emulator.ts";
import { workingFolder } from "../support/emulator-process.ts";

const rewind = (rig: Rig, at: number | string) =>
  rig.call<{ turn: number; error?: { code: string } }>("POST", "/_emulator/v1/rewind", { at });

describe("a world that returns to an earlier turn", () => {
  it.each(["memory", "folder"])(
    "has the bucket, objects and events of that turn, stored in %s",
    async (store) => {
      const options = store === "folder" ? { data: workingFolder() } : {};
      const first = await startExportRig(options);
      let rig: Rig = first;
      onTestFinished(() => rig.close());
      const id = await first.createExportId();
      const { turn: creationTurn } = await rig.emulator.control<{ turn: number }>("GET", "/status");
      await runToCompletion(rig, id);
      const before = await rig.emulator.control<{ turn: number; now: string }>("GET", "/status");
      await rig.emulator.control("DELETE", "/s3/buckets/traces");
      expect((await rig.emulator.verifyExport(id)).ok).toBe(false);

      expect((await rewind(rig, before.turn)).body).toMatchObject({ turn: before.turn, now: before.now });
      expect(await rig.emulator.verifyExport(id)).toMatchObject({ ok: true, files: 3 });
      if (store === "folder") {
        await rig.close();
        rig = await startRig({ ...options, now: before.now });
        expect(await rig.emulator.verifyExport(id)).toMatchObject({ ok: true, files: 3 });
      }

      expect((await rewind(rig, creationTurn)).status).toBe(200);
      const { body } = await rig.call("GET", `/api/v1/bulk-exports/${id}`);
      expect(body.status).toBe("CREATED");
      expect((await rewind(rig, before.turn)).body.error?.code).toBe("not_yet");
      expect((await rig.call("GET", `/api/v1/bulk-exports/${id}`, undefined, asOf(1))).status).toBe(404);
      await runToCompletion(rig, id);
      expect(await rig.emulator.verifyExport(id)).toMatchObject({ ok: true, files: 3 });
    },
  );
});

describe("a rewind that names the generation of its turn", () => {
  it("is refused after another client's reset or rewind to an earlier turn, and changes nothing", async () => {
    const rig = await startRig();
    onTestFinished(() => rig.close());
    const addThread = () => rig.call("POST", "/threads", {});
    const status = () => rig.emulator.control<{ turn: number; generation: number }>("GET", "/status");
    const undo = ({ turn, generation }: { turn: number; generation: number }) =>
      rig.call<{ error?: { code: string } }>("POST", "/_emulator/v1/rewind", { at: turn, generation });

    await addThread();
    const first = await status();
    await addThread();
    const second = await status();
    await addThread();
    expect((await undo(second)).status).toBe(200);
    expect((await undo(first)).status).toBe(200);
    for (let n = 0; n < 3; n += 1) await addThread();
    const later = await status();
    expect((await undo(second)).body.error?.code).toBe("other_generation");
    expect((await status()).turn).toBe(later.turn);
    expect((await undo(first)).status).toBe(200);

    await rig.emulator.control("POST", "/reset", {});
    for (let n = 0; n < 5; n += 1) await addThread();
    const reset = await status();
    expect((await undo(first)).body.error?.code).toBe("other_generation");
    expect((await status()).turn).toBe(reset.turn);
  });
});

const asOf = (turn: number) => ({ "x-emulator-as-of": String(turn) });
