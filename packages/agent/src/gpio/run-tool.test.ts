import { expect, test } from 'vitest';
import { explainEnd, startTool } from './run-tool.ts';

/** Messages of the tools 2.2.1 (trixie) on a real kernel. */
test.each([
  ['gpiomon: unable to request lines on chip /dev/gpiochip0: Device or resource busy', 1, 'another program'],
  ["gpiomon: cannot find line 'GPIO99'", 1, 'no line has this name'],
  ["gpiomon: cannot find line 'GPIO17'", 0, 'this user may not open'],
  ['gpiomon: error reading line events: No such device', 1, 'it is started again'],
  ['gpiomon: invalid bias: foo', 1, 'the chip refuses'],
  ['', 1, 'it is started again'],
])('explains %j with %i open chip: %s', (stderr, open, advice) => {
  const problem = stderr || 'gpiomon ended with SIGKILL';
  expect(explainEnd('gpiomon', 'SIGKILL', stderr, { all: 1, open }).message).toContain(
    `${problem} (${advice}`,
  );
});

test('reports a missing GPIO chip, whatever the tool prints', () => {
  const stderr = "gpiomon: cannot find line 'GPIO17'";
  expect(explainEnd('gpiomon', 1, stderr, { all: 0, open: 0 }).message).toMatch(
    /there is no \/dev\/gpiochip/,
  );
});

test('keeps only the end of what a long-running tool prints on stderr', async () => {
  const script = 'head -c 1000000 /dev/zero | tr "\\0" x >&2; printf end >&2; exit 1';
  const { ended } = startTool('sh', ['-c', script], new AbortController().signal);
  const { problem } = await ended;
  expect(problem).toMatch(/^x+end$/);
  expect(problem).toHaveLength(2_000);
});
