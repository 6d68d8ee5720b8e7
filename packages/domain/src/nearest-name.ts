/** The name that a misspelled one resembles most, whatever their case; undefined if there are none. */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const distances = names.map((name) => ({ name, far: distance(given.toLowerCase(), name.toLowerCase()) }));
  return distances.toSorted((a, b) => a.far - b.far)[0]?.name;
}

/** How many characters must be added, removed or replaced to get from one text to another (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const character of from) {
    const above = row;
    row = [(above[0] ?? 0) + 1];
    for (let index = 0; index < to.length; index += 1) {
      const replaced = (above[index] ?? 0) + (character === to[index] ? 0 : 1);
      row.push(Math.min(replaced, (above[index + 1] ?? 0) + 1, (row[index] ?? 0) + 1));
    }
  }
  return row[to.length] ?? 0;
}
