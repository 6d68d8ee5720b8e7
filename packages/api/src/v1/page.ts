/** Items per answer when nobody says how many, and the most that one can ask for. */
export const defaultLimit = 1_000;
export const mostItems = 1_000;

/** Some of the items, which are sorted by their keys as code points, behind the key `after`. */
export function page<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  {
    after,
    limit = defaultLimit,
  }: { readonly after?: string | undefined; readonly limit?: number | undefined },
): { readonly items: readonly Item[]; readonly next: string | null } {
  const start = after === undefined ? 0 : items.findIndex((item) => isBehind(keyOf(item), after));
  const found = start < 0 ? [] : items.slice(start, start + limit);
  const last = found.at(-1);
  const more = start >= 0 && start + limit < items.length;
  return { items: found, next: more && last !== undefined ? keyOf(last) : null };
}

/** As PostgreSQL's collation "C" sorts. */
function isBehind(key: string, after: string): boolean {
  return Buffer.compare(Buffer.from(key), Buffer.from(after)) > 0;
}
