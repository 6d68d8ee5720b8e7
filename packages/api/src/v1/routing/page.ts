import { cleanName } from '@visitor-counter/domain/name-key';

/** Items per answer by default and at most. */
export const defaultLimit = 1_000;
export const mostItems = 1_000;

/** The page of the items, sorted by their keys as code points, after the key `after` in any Unicode normal form. */
export function page<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  {
    after,
    limit = defaultLimit,
  }: { readonly after?: string | undefined; readonly limit?: number | undefined },
): { readonly items: readonly Item[]; readonly next: string | null } {
  const position = after === undefined ? undefined : storedKey(items.map(keyOf), after);
  const start = position === undefined ? 0 : items.findIndex((item) => isAfter(keyOf(item), position));
  const found = start < 0 ? [] : items.slice(start, start + limit);
  const last = found.at(-1);
  const more = start >= 0 && start + limit < items.length;
  return { items: found, next: more && last !== undefined ? keyOf(last) : null };
}

/** The spelling of the key `given` among the keys; `given` itself if it is none of them. */
function storedKey(keys: readonly string[], given: string): string {
  if (keys.includes(given)) return given;
  const clean = cleanName(given);
  return keys.find((key) => cleanName(key) === clean) ?? given;
}

/** As PostgreSQL's collation "C" sorts. */
function isAfter(key: string, after: string): boolean {
  return Buffer.compare(Buffer.from(key), Buffer.from(after)) > 0;
}
