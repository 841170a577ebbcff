import { join } from "node:path";
import { PROJECT } from "../rows.mjs";
import { load } from "./calls.mjs";
import { launchEmulator, launchPeer } from "./processes.mjs";
import { openServers } from "./servers.mjs";

const ROWS_PER_REQUEST = 100;
const REQUESTS = 60;

/** Launches for each side: the emulator with and without a data folder, and what only receives. */
const SIDES = {
  "data folder": (folder) => launchEmulator(["--data", join(folder, "data"), "--rate-limits", "off"]),
  "in memory": () => launchEmulator(["--ephemeral", "--rate-limits", "off"]),
  "parse and append": (folder) => launchPeer("append-server.mjs", join(folder, "appended.ndjson")),
  busboy: () => launchPeer("form-server.mjs"),
};

/** New rows in each round. */
export function ingesting({ path, kind, ...figure }) {
  return {
    ...figure,
    per: "row",
    rounds: 9,
    warmUps: 2,
    quick: { rounds: 5 },
    async open({ folder, sides }) {
      const servers = await openServers(sides, (side) => SIDES[side](folder));
      const round = (side, n) =>
        load(servers[side], {
          origin: servers[side].url,
          method: "POST",
          path,
          bodies: {
            kind,
            rows: ROWS_PER_REQUEST,
            session: PROJECT,
            from: (n + 2) * REQUESTS * ROWS_PER_REQUEST,
          },
          count: REQUESTS,
          itemsPerRequest: ROWS_PER_REQUEST,
        });
      return { round, close: servers.close };
    },
  };
}
