// Runs the benchmarks one after the other and prints their figures as one table: `npm run bench [name …]`.
const BENCHES = [
  "start",
  "ingest",
  "export",
  "limiter",
  "schedules",
  "multipart",
  "queries",
  "agent",
  "worlds",
];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !BENCHES.includes(name));
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(", ")}; there are ${BENCHES.join(", ")}`);
  process.exit(2);
}

console.log(`Node ${process.version}, ${process.platform} ${process.arch}`);
console.log("| figure | measured | asked for |\n|---|---|---|");
for (const name of wanted.length > 0 ? wanted : BENCHES) {
  const { run } = await import(`./${name}.mjs`);
  for await (const { figure, measured, target } of run())
    console.log(`| ${figure} | ${measured} | ${target} |`);
}
