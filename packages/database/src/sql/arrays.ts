/** A PostgreSQL array literal of numbers, with null for infinite ones; pg's own conversion of arrays is several times slower. */
export function numberArray(numbers: readonly (number | null)[]): string {
  return `{${JSON.stringify(numbers).slice(1, -1)}}`;
}
