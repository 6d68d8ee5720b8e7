import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { sizedTerminal } from './sized-terminal.ts';

const terminal = (size: { columns?: number; rows?: number }) => Object.assign(new PassThrough(), size);

test.each([
  [
    { columns: 0, rows: 0 },
    { columns: 80, rows: 24 },
  ],
  [{}, { columns: 80, rows: 24 }],
  [
    { columns: 132, rows: 0 },
    { columns: 132, rows: 24 },
  ],
  [
    { columns: 100, rows: 40 },
    { columns: 100, rows: 40 },
  ],
])('treats a terminal that reports %j as %j', (said, taken) => {
  const { columns, rows } = sizedTerminal(terminal(said));

  expect({ columns, rows }).toEqual(taken);
});

test('follows the size of its terminal, and writes to it', () => {
  const stream = terminal({ columns: 0, rows: 0 });
  const sized = sizedTerminal(stream);

  Object.assign(stream, { columns: 100, rows: 40 });
  sized.write('drawn');

  expect([sized.columns, sized.rows]).toEqual([100, 40]);
  expect(String(stream.read())).toBe('drawn');
});
