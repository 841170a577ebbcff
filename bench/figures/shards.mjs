import { commandTime } from "../harness/command-time.mjs";
import { CLI } from "../harness/processes.mjs";

const SHARDS = 4;
/** Exit code 1 means that a case failed, or that a variation differs. */
const CODES = [0, 1];

/** Four shards as four machines run them: one after the other here, and the longest counts. */
const sharded = (...words) => ({
  figure: `${words.join(" ")}, four shards`,
  per: "run",
  rounds: 3,
  warmUps: 0,
  quick: { rounds: 1 },
  sides: ["the longest shard", "the whole"],
  targets: [{ against: "the whole", faster: SHARDS / 2, quantity: "cpuMs" }],
  open: async () => ({
    async round(side) {
      if (side === "the whole") return commandTime([CLI, ...words], CODES);
      const shards = [];
      for (let part = 1; part <= SHARDS; part += 1)
        shards.push(await commandTime([CLI, ...words, "--shard", `${part}/${SHARDS}`], CODES));
      const longest = (quantity) => Math.max(...shards.map((shard) => shard[quantity]));
      return { items: 1, wallMs: longest("wallMs"), cpuMs: longest("cpuMs") };
    },
  }),
});

export const figures = [
  sharded("replay", "--jobs", "1"),
  sharded("contract", "run"),
  sharded("replay", "--vary", "--jobs", "1"),
  sharded("replay", "--sweep", "limits", "--jobs", "1"),
];
