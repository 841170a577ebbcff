import { once } from "node:events";
import { type Command, WORLD_FLAGS } from "../command.ts";
import { runningWorld } from "../running.ts";
import { output } from "../terminal.ts";
import { openObject } from "./object.ts";
import { readObjectPlace } from "./place.ts";

/** `s3 cat`: writes an object to standard output as it is stored. */
export const catObject: Command = {
  summary: "write the bytes of an object to standard output",
  operands: ["<bucket/key>"],
  flags: WORLD_FLAGS,
  async run(invocation) {
    const place = readObjectPlace(invocation.operands[0] ?? "");
    const { url } = await runningWorld(invocation);
    for await (const piece of await openObject(url, place))
      if (!output().write(piece)) await once(output(), "drain");
    return 0;
  },
};
