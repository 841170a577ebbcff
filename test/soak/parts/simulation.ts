import { shrunk, simulate } from "../../subjects/bulk-exports/simulation.ts";
import { soakPart } from "../soak.ts";

// Simulated worlds of exports, schedules, faults and crashes, one for each seed from the given one on.

const ALSO =
  "npx vitest run --config test/vitest.config.ts --root . test/subjects/bulk-exports/simulation.test.ts";

await soakPart(["simulated worlds"], async (soak) => {
  for (let seed = soak.seed; soak.goesOn(); seed += 1) {
    const { broken } = await simulate(seed);
    soak.count("simulated worlds");
    if (broken !== undefined)
      soak.find(
        `seed ${seed}: ${broken} (steps ${await shrunk(seed)}; SIMULATION_SEEDS=${seed}-${seed} ${ALSO})`,
      );
  }
});
