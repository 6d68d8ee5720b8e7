/** A PostgreSQL array literal of numbers; pg's own conversion of arrays is several times slower. */
export function numberArray(numbers: readonly (number | null)[]): string {
  return `{${numbers.map((number) => number ?? 'null').join(',')}}`;
}
