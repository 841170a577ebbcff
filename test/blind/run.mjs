// Changes the product at random, one place at a time, and counts what `contract run` and the tests notice:
// `npm run test:blind -- [--count n] [--from n] [--seed n] [--tests]`.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const outfile = join(ROOT, "dist/blind/blind.mjs");
const number = { type: "string" };
const options = { count: number, from: number, seed: number, tests: { type: "boolean" } };
const { count = "50", from = "0", seed = "1", tests = false } = parseArgs({ options }).values;
await build({
  entryPoints: [join(ROOT, "test/blind/blind.ts")],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  packages: "external",
});
const { runBlind } = await import(outfile);
process.exitCode = await runBlind({ count: Number(count), from: Number(from), seed: Number(seed), tests });
