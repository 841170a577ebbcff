/** A word of this length that a name begins with is taken for an abbreviation. */
const MIN_ABBREVIATION_LENGTH = 3;

/** The known name most similar to a word; undefined when none is close enough. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const lowerName = name.toLowerCase();
  let best: { name: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const lowerCandidate = candidate.toLowerCase();
    const isAbbreviation = name.length >= MIN_ABBREVIATION_LENGTH && lowerCandidate.startsWith(lowerName);
    const distance = isAbbreviation ? 0 : editDistance(lowerName, lowerCandidate);
    const isShorter = isAbbreviation && candidate.length < (best?.name.length ?? 0);
    if (best === undefined || distance < best.distance || (distance === best.distance && isShorter))
      best = { name: candidate, distance };
  }
  const tolerance = Math.max(1, Math.floor(Math.min(name.length, 30) * 0.4));
  return best !== undefined && best.distance <= tolerance ? best.name : undefined;
}

/** A hint about an unknown name: the most similar known one, or else `otherwise`. */
export function hintFor(name: string, candidates: Iterable<string>, otherwise: string): string {
  const similarName = nearest(name, candidates);
  return similarName === undefined ? otherwise : `did you mean ${similarName}?`;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
export function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
        row > 1 && column > 1 && swapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return at(last, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
