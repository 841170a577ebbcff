/** The benches, each a file of this folder, in the order in which they run. */
export const NAMES = [
  "start",
  "listing",
  "threads",
  "ingest",
  "multipart",
  "generate",
  "s3",
  "stop",
  "year",
  "export",
  "verify",
  "checks",
  "million",
  "oracle",
  "limiter",
  "forks",
  "diff",
  "past",
  "variations",
  "filters",
  "sweep",
  "shards",
  "console",
  "console-tab",
  "growth-threads",
  "growth-runs",
  "growth-worlds",
  "growth-events",
  "growth-rows",
  "growth-objects",
  "tests",
];

/** The benches of these names or beginnings of names; all without any. @throws with one line for an unknown one */
export function chosen(wanted) {
  const unknown = wanted.filter((name) => matching(name).length === 0);
  if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(", ")}; there are ${NAMES.join(", ")}`);
  return wanted.length === 0
    ? NAMES
    : NAMES.filter((name) => wanted.some((each) => matching(each).includes(name)));
}

function matching(name) {
  return NAMES.filter((each) => each === name || each.startsWith(`${name}-`));
}
