import { PutObjectCommand } from "@aws-sdk/client-s3";
import { expect, it } from "vitest";
import { Refusal } from "../../emulator/kernel/refusal.ts";
import { codeOf, openTestServer } from "./harness.ts";

it("an upload ends where it would use up what the disk keeps in reserve, and leaves nothing", async () => {
  let room = 100_000;
  const requireRoom = (bytes: number): void => {
    if (bytes > room) throw new Refusal(413, "disk_full", "The disk is full.", "Make room.");
    room -= bytes;
  };
  const server = await openTestServer({ requireRoom });
  const put = (size: number) =>
    codeOf(
      server.client().send(new PutObjectCommand({ Bucket: "traces", Key: "a", Body: Buffer.alloc(size, 1) })),
    );
  expect(await put(50_000)).toBe("no error");
  expect(await put(400_000)).toBe("ServiceUnavailable");
  expect(server.strayBodies()).toEqual([]);
  expect(server.defects).toEqual([]);
  room = 400_000;
  expect(await put(400_000)).toBe("no error");
  await server.close();
});
