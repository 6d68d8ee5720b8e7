import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { detect } from './traces.ts';

async function run(trace: string | readonly string[]) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const written = Promise.all([text(stdout), text(stderr)]);
  const chunks = (typeof trace === 'string' ? [trace] : trace).map((chunk) => Buffer.from(chunk));
  const code = await detect(Readable.from(chunks), stdout, stderr);
  stdout.end();
  stderr.end();
  const [output, errors] = await written;
  return { code, output, errors };
}

const walk = '1000,a,1\n1200,b,1\n1400,a,0\n1600,b,0\n';
const seen = '{"at":1600,"direction":"in"}\n';

test('prints one JSON line per crossing', async () => {
  expect(await run(`${walk}2000,b,1\n2200,a,1\n2400,b,0\n2600,a,0\n`)).toEqual({
    code: 0,
    output: `${seen}{"at":2600,"direction":"out"}\n`,
    errors: '',
  });
});

test.each([
  ['column names', `epoch-ms,line,value\n${walk}`],
  ['a byte order mark, CRLF and spaces', `\uFEFF${walk.replaceAll('\n', ' \r\n')}`],
  ['blank lines', `\n\n${walk.replaceAll('\n', '\n\n')}`],
  ['no newline at the end', walk.trimEnd()],
  ['edges up to 50 ms out of order', '1040,b,1\n1000,a,1\n1080,b,0\n1060,a,0\n'],
])('reads a trace with %s', async (_, trace) => {
  const { code, output } = await run(trace);
  expect(code).toBe(0);
  expect(output.split('\n').length).toBe(2);
});

test('reads a trace that arrives byte by byte', async () => {
  expect((await run([...walk])).output).toBe(seen);
});

test('an empty trace has no crossings', async () => {
  expect(await run('')).toEqual({ code: 0, output: '', errors: '' });
});

test.each([
  ['foo,a,1', 'line 5: epoch-ms is "foo": expected a whole number of milliseconds since 1970'],
  ['17e2,a,1', 'line 5: epoch-ms is "17e2": expected a whole number of milliseconds since 1970'],
  ['1700,c,1', 'line 5: line is "c": expected a (street side) or b'],
  ['1700,a,2', 'line 5: value is "2": expected 1 (beam broken) or 0 (beam clear)'],
  ['1700,a', 'line 5: "1700,a" has 2 fields: expected epoch-ms,line,value'],
  ['1000,a,1', 'line 5: edge at 1000 came after one at 1600: expected at most 50 ms of disorder'],
])('prints the crossings before the line %s, and then what is wrong with it', async (garbage, message) => {
  expect(await run(`${walk}${garbage}\n${walk}`)).toEqual({ code: 1, output: seen, errors: `${message}\n` });
});
