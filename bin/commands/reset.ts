import { clientCommand } from "../client-command.ts";

export const command = clientCommand({
  summary: "reset the world to its initial state, with the seed data of the configuration",
  flags: { empty: { help: "without the seed data" } },
  ask:
    ({ flags }) =>
    ({ client }) =>
      client.reset(flags.empty === true ? { empty: true } : {}),
  lines: ({ url }) => [`${url} is reset`],
});
