/** The most stores on one page of the wall: more cannot be read from five metres. */
const mostOnPage = 9;

/** The smallest tile in which a name, a number and a capacity can be read (CSS pixels, with text of the usual size). */
const smallest = { width: 150, height: 120 };

/** How wide a tile is against its height where both are equally scarce. */
const shape = 1.4;

/** How the wall is divided: pages of rows of stores. */
interface WallGrid {
  /** How many stores each row of a page has, at most. */
  readonly rows: readonly number[];
  readonly pages: number;
}

/**
 * The grid with the largest tiles for so many stores on a screen (as `smallest`). Pages have nearly equal numbers of stores,
 * and so do the rows of a page: no tile is alone on a page, and no row has a hole.
 */
export function wallGrid(stores: number, width: number, height: number): WallGrid {
  const most = {
    columns: Math.max(1, Math.floor(width / smallest.width)),
    rows: Math.max(1, Math.floor(height / smallest.height)),
  };
  const fitting = Math.min(mostOnPage, most.columns * most.rows);
  const pages = Math.max(1, Math.ceil(stores / fitting));
  const onPage = Math.ceil(stores / pages);
  const candidates = Array.from({ length: most.columns }, (_, index) => index + 1)
    .map((columns) => ({ columns, rows: Math.ceil(onPage / columns) }))
    .filter(({ rows }) => rows <= most.rows);
  const sizeOf = ({ columns, rows }: { columns: number; rows: number }) =>
    Math.min(width / columns / shape, height / rows);
  const best = candidates.reduce((one, other) => (sizeOf(other) > sizeOf(one) ? other : one), {
    columns: most.columns,
    rows: most.rows,
  });
  return { rows: evenly(onPage, Math.ceil(onPage / best.columns)), pages };
}

/** The stores of each row of a page, from 0. */
export function rowsOfPage<Store>(stores: readonly Store[], grid: WallGrid, page: number): Store[][] {
  const perPage = evenly(stores.length, grid.pages);
  const before = perPage.slice(0, page).reduce((sum, one) => sum + one, 0);
  const shown = stores.slice(before, before + (perPage[page] ?? 0));
  let from = 0;
  return evenly(shown.length, Math.min(grid.rows.length, shown.length)).map((length) => {
    from += length;
    return shown.slice(from - length, from);
  });
}

/** A number as a sum of so many parts that differ by at most 1, the larger ones first. */
function evenly(sum: number, parts: number): number[] {
  return Array.from({ length: parts }, (_, index) => Math.floor(sum / parts) + (index < sum % parts ? 1 : 0));
}
