import { clientCommand } from "../client-command.ts";

export const command = clientCommand({
  summary: "reset the world to its initial state, with the seed data of the configuration",
  flags: { empty: { help: "without the seed data" } },
  send: ({ client }, { flags }) => client.reset(flags.empty === true ? { empty: true } : {}),
  lines: ({ url }) => [`${url} is reset`],
});
