import type { Format } from './format.ts';

/** A JSON array of objects. */
export const json: Format = {
  mediaType: 'application/json; charset=utf-8',
  begin: '[',
  separator: ',',
  records: (batch) => JSON.stringify(batch).slice(1, -1),
  end: ']',
};
