import { invalidParameter } from '../../problems/problems.ts';

/** Throws `invalid_parameter` for two items with the same key. */
export function requireDistinct<Item>(
  items: readonly Item[],
  field: string,
  keyOf: (item: Item) => string,
): void {
  const keys = items.map(keyOf);
  const index = keys.findIndex((key, at) => keys.indexOf(key) !== at);
  if (index >= 0) throw invalidParameter(`items[${index}].${field}`, keys[index], 'one that is given once');
}
