import Type, { type TSchema } from 'typebox';
import { invalidParameter, type Problem } from '../../problems/problems.ts';
import { orNull, storeFilter, text } from './shapes.ts';

/* Lists that are answered page by page. The description of a parameter ends the sentence "<name> must be …". */

/** A list of items, and the cursor of the next page. */
export function listOf(item: TSchema) {
  return Type.Object({ items: Type.Array(item), next: orNull(text('Pass it as `after` to read on.')) });
}

/** Items per answer by default, and at most where a route does not say otherwise. */
export const usualLimit = 1_000;

const cursorExpected = 'what `next` was';

export const after = Type.Optional(Type.String({ description: cursorExpected, maxLength: 400 }));

/** The problem for a cursor that no answer had. */
export function invalidCursor(given: string): Problem {
  return invalidParameter('after', given, cursorExpected);
}

/** In a list of entries, each with a number, the last entered first. */
export const afterEntry = Type.Optional(Type.String({ description: cursorExpected, pattern: '^\\d{1,15}$' }));

/** The number in such a cursor. */
export function idIn(after: string | undefined): number | undefined {
  return after === undefined ? undefined : Number(after);
}

export function limit(most = usualLimit) {
  return Type.Optional(
    Type.Integer({ description: `a whole number from 1 to ${most}`, minimum: 1, maximum: most }),
  );
}

/** The query of a list of one store's items, or of all stores'. */
export const listQuery = Type.Object({ store: storeFilter, after, limit: limit() });

interface Page<Item> {
  readonly items: readonly Item[];
  /** The key of the last item; null if no item follows. */
  readonly next: string | null;
}

/** The page of the items, sorted by their keys as code points, after the key `after`. */
export function page<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  { after, limit = usualLimit }: { readonly after?: string | undefined; readonly limit?: number | undefined },
): Page<Item> {
  const following = after === undefined ? items : items.filter((item) => isAfter(keyOf(item), after));
  return firstPage(following, limit, keyOf);
}

/** The page of the items that `read` returns after a position, in their order, as many as it is called with. */
export async function readPage<Item>(
  read: (most: number) => Promise<readonly Item[]>,
  keyOf: (item: Item) => string,
  limit = usualLimit,
): Promise<Page<Item>> {
  return firstPage(await read(limit + 1), limit, keyOf);
}

/** The page of at most `limit` items among those that were found after a position, one more than `limit` if there are more. */
function firstPage<Item>(found: readonly Item[], limit: number, keyOf: (item: Item) => string): Page<Item> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, next: found.length > limit && last !== undefined ? keyOf(last) : null };
}

/** As PostgreSQL's collation "C" sorts. */
function isAfter(key: string, after: string): boolean {
  return Buffer.compare(Buffer.from(key), Buffer.from(after)) > 0;
}
