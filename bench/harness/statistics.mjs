export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

function between(sorted, place) {
  const [before, after] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return before + (after - before) * (place % 1);
}

/** Median and spread (the quartiles) of the results of the rounds; undefined when a round had no result. */
export function summary(values) {
  if (values.length === 0 || values.some((value) => !Number.isFinite(value))) return undefined;
  const sorted = [...values].sort((a, b) => a - b);
  const [low, median, high] = [0.25, 0.5, 0.75].map((share) => between(sorted, (sorted.length - 1) * share));
  return { median, low, high, least: Math.min(...values), most: Math.max(...values) };
}
