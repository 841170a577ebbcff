import { fromSource, timedHere } from "../harness/from-source.mjs";
import { PROJECT, postOf } from "../rows.mjs";

const PASSES = 300;

/** A simple predicate of the filter language. */
export const figures = [
  {
    figure: "a simple filter",
    per: "row",
    rounds: 7,
    sides: ["filter"],
    targets: [{ atMost: 1 / 300 }],
    async open() {
      const { compileFilter, parseFilter } = await fromSource(
        "emulator/subjects/filters/compile.ts",
        "emulator/subjects/filters/parse.ts",
      );
      const test = compileFilter(parseFilter('eq(run_type, "llm")').filter);
      const rows = Array.from({ length: 1000 }, (_, number) => ({
        ...postOf(number, PROJECT),
        run_type: number % 2 ? "llm" : "chain",
      }));
      return {
        round: () =>
          timedHere(PASSES * rows.length, () => {
            let passed = 0;
            for (let pass = 0; pass < PASSES; pass += 1) passed += rows.filter(test).length;
            if (passed * 2 !== PASSES * rows.length) throw new Error(`${passed} rows passed`);
          }),
      };
    },
  },
];
