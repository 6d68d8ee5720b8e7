import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { json } from './formats.ts';
import { writeRecords } from './write-records.ts';

async function* given(batches: readonly object[][]) {
  yield* batches;
}

test('writes one array, however the records are batched', async () => {
  const records = fc.array(fc.record({ StoreName: fc.string(), Amount: fc.nat() }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.array(records, { maxLength: 5 }), async (batches) => {
      let text = '';
      for await (const piece of writeRecords(json, given(batches))) text += piece;
      expect(JSON.parse(text)).toEqual(batches.flat());
    }),
  );
});

test('begins with the first batch, also with an empty one', async () => {
  const pieces = writeRecords(json, given([[], [{ a: 1 }]]));
  expect(await pieces.next()).toEqual({ value: '[', done: false });
  expect(await pieces.next()).toEqual({ value: '{"a":1}', done: false });
  expect(await pieces.next()).toEqual({ value: ']', done: false });
});
