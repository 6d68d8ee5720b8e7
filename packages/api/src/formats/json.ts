import type { Format } from './format.ts';

/** A JSON array of objects, one after another as they come. */
export const json: Format = { mediaType: 'application/json; charset=utf-8', write };

async function* write(batches: AsyncIterable<readonly object[]>): AsyncGenerator<string, void> {
  let open = '[';
  let separator = '';
  for await (const batch of batches) {
    const records = JSON.stringify(batch).slice(1, -1);
    yield records === '' ? open : open + separator + records;
    open = '';
    if (records !== '') separator = ',';
  }
  yield `${open}]`;
}
