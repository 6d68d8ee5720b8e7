import { expect, test } from 'vitest';
import { arrange, type CompanyStore, ranksOf, type Wanted } from './company-stores.ts';

const row = (name: string, visitors = 0, more: Partial<CompanyStore> = {}): CompanyStore => ({
  store: `S-${name}`,
  name,
  groups: [],
  from: '2026-11-20',
  to: '2026-11-20',
  days: 1,
  recorded: 1,
  visitors,
  comparable: visitors,
  before: null,
  occupancy: 0,
  capacity: null,
  incomplete: [],
  conversion: null,
  open: null,
  opensOn: null,
  opensAt: null,
  isPresent: true,
  hasNoData: false,
  gap: undefined,
  problems: [],
  needsAttention: false,
  ...more,
});
const names = (rows: readonly CompanyStore[], wanted: Partial<Wanted> = {}) =>
  arrange(rows, { sort: 'name', search: '', group: undefined, ...wanted }).map(({ name }) => name);

test('sorts numbers in names by their value', () => {
  expect(
    names(['Aarhus 10', 'Évora', 'aarhus 2', 'Zug', 'Aarhus 1', 'Dublin'].map((name) => row(name))),
  ).toEqual(['Aarhus 1', 'aarhus 2', 'Aarhus 10', 'Dublin', 'Évora', 'Zug']);
});

test('lists stores that need attention first, then those with most visitors', () => {
  const rows = [row('A', 1), row('B', 9), row('C', 0, { needsAttention: true }), row('D', 9)];
  expect(names(rows, { sort: 'attention' })).toEqual(['C', 'B', 'D', 'A']);
});

test('sorts by change; stores without a compared period are last', () => {
  const rows = [
    row('A', 9),
    row('B', 5, { before: 10 }),
    row('C', 20, { before: 10 }),
    row('D', 1, { before: 0 }),
  ];
  expect(names(rows, { sort: 'change' })).toEqual(['C', 'B', 'A', 'D']);
});

test('finds every word in the name and the groups, without accents and case', () => {
  const rows = [row('Évora Centre', 0, { groups: ['South'] }), row('Evora 2'), row('Aarhus')];
  expect(names(rows, { search: 'EVORA' })).toEqual(['Evora 2', 'Évora Centre']);
  expect(names(rows, { search: ' south  évora ' })).toEqual(['Évora Centre']);
  expect(names(rows, { search: 'Aarhus 3' })).toEqual([]);
  expect(names(rows, { group: 'South' })).toEqual(['Évora Centre']);
});

test('ranks stores with as many visitors alike', () => {
  const ranks = ranksOf([row('A', 5), row('B', 7), row('C', 5), row('D', 1)]);
  expect(Object.fromEntries(ranks)).toEqual({ 'S-B': 1, 'S-A': 2, 'S-C': 2, 'S-D': 4 });
});
