import { expect, test } from 'vitest';
import { KeptTaps, mostTaps, type Store } from './taps.ts';

function store(): Store & { readonly values: Map<string, string> } {
  const values = new Map<string, string>();
  return {
    values,
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  };
}

test('keeps every tap of two windows, also after a reload, until the audit is discarded', () => {
  const kept = store();
  const [one, other] = [new KeptTaps('CU-1', kept), new KeptTaps('CU-1', kept)];
  one.begin('a');
  other.begin('b');
  one.add(1, 'in');
  other.add(2, 'in');
  one.add(2, 'out');
  other.add(3, 'in');
  one.undo();
  expect(new KeptTaps('CU-1', kept).read()).toMatchObject({
    id: 'a',
    passages: [
      [1, 'in'],
      [2, 'in'],
      [2, 'out'],
    ],
  });
  expect(new KeptTaps('CU-2', kept).read()).toBeUndefined();
  expect(one.discard('a')).toBe(true);
  expect(other.read()).toBeUndefined();
  expect(kept.values.size).toBe(0);
});

test('keeps the taps of the next check when an answer about the one before arrives late', () => {
  const taps = new KeptTaps('CU-1', store());
  taps.begin('a');
  taps.discard('a');
  taps.begin('b');
  taps.add(1, 'in');
  expect(taps.discard('a')).toBe(false);
  expect(taps.read()).toMatchObject({ id: 'b', passages: [[1, 'in']] });
});

test('starts an empty audit if the stored one cannot be read, and accepts no tap beyond the limit', () => {
  const kept = store();
  kept.values.set('audit CU-1', '{"id":');
  const taps = new KeptTaps('CU-1', kept);
  expect(taps.read()).toBeUndefined();
  taps.begin('a');
  kept.values.set(
    'audit CU-1',
    JSON.stringify({ ...taps.read(), passages: Array(mostTaps).fill([1, 'in']) }),
  );
  taps.add(2, 'in');
  expect(taps.read()?.passages).toHaveLength(mostTaps);
});
