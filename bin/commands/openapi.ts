import type { Command, Invocation } from "../command.ts";
import { print } from "../terminal.ts";

export const command: Command = {
  summary: "print the OpenAPI document of the emulated API as JSON; needs no running emulator",
  operands: [],
  flags: {},
  run,
};

async function run({ flags }: Invocation): Promise<number> {
  const { openApiDocument } = await import("../../contracts/openapi/openapi.ts");
  const document = openApiDocument();
  if (flags.quiet !== true) print(JSON.stringify(document, null, flags.json === true ? 0 : 2).split("\n"));
  return 0;
}
