import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rowsOfPage, wallGrid } from './grid.ts';

test('shows every store once, at most nine on a page, in tiles that can be read', () => {
  const size = fc.record({
    stores: fc.integer({ min: 1, max: 1_000 }),
    width: fc.integer({ min: 320, max: 3_840 }),
    height: fc.integer({ min: 360, max: 2_160 }),
  });
  fc.assert(
    fc.property(size, ({ stores, width, height }) => {
      const all = Array.from({ length: stores }, (_, index) => index);
      const grid = wallGrid(stores, width, height);
      const pages = Array.from({ length: grid.pages }, (_, page) => rowsOfPage(all, grid, page));
      expect(pages.flat(2)).toEqual(all);
      for (const rows of pages) {
        const lengths = rows.map(({ length }) => length);
        expect(rows.flat().length).toBeLessThanOrEqual(9);
        expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1);
        expect(width / Math.max(...lengths)).toBeGreaterThanOrEqual(150);
        expect(height / rows.length).toBeGreaterThanOrEqual(120);
      }
    }),
    { numRuns: 50 },
  );
});

test('uses the shape of the screen', () => {
  const rows = (stores: number, width: number, height: number) => wallGrid(stores, width, height).rows;
  expect(rows(1, 1920, 1080)).toEqual([1]);
  expect(rows(2, 1920, 1080)).toEqual([2]);
  expect(rows(2, 1080, 1920)).toEqual([1, 1]);
  expect(rows(5, 1920, 1080)).toEqual([3, 2]);
  expect(rows(9, 3840, 2160)).toEqual([3, 3, 3]);
  expect(wallGrid(10, 1920, 1080)).toEqual({ rows: [3, 2], pages: 2 });
});
