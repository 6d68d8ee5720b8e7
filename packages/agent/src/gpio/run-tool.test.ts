import { expect, test } from 'vitest';
import { explainFailure, startTool } from './run-tool.ts';

/** Messages of the tools 2.2.1 (trixie) on a real kernel. */
test.each([
  ['gpiomon: unable to request lines on chip /dev/gpiochip0: Device or resource busy', 1, 'gpio-line-busy'],
  ["gpiomon: cannot find line 'GPIO99'", 1, 'gpio-line-missing'],
  ["gpiomon: cannot find line 'GPIO17'", 0, 'gpio-permission'],
  ['gpiomon: error reading line events: No such device', 1, 'gpio-stopped'],
  ['gpiomon: invalid bias: foo', 1, 'gpio-setting'],
  ['', 1, 'gpio-stopped'],
])('explains %j with %i open chip: %s', (stderr, openChips, code) => {
  const failure = { program: 'gpiomon', stderr, ended: 'SIGKILL', chips: 1, openChips };
  const error = explainFailure(failure);
  expect(error.code).toBe(code);
  expect(error.message).toMatch(stderr === '' ? /^gpiomon ended with SIGKILL \(/ : `${stderr} (`);
});

test('reports a missing GPIO chip, whatever the tool prints', () => {
  const stderr = "gpiomon: cannot find line 'GPIO17'";
  const failure = { program: 'gpiomon', stderr, ended: 1, chips: 0, openChips: 0 };
  expect(explainFailure(failure).message).toMatch(/there is no \/dev\/gpiochip/);
});

test('keeps only the end of what a long-running tool prints on stderr', async () => {
  const script = 'head -c 1000000 /dev/zero | tr "\\0" x >&2; printf end >&2; exit 1';
  const { ended } = startTool({ program: 'sh', args: ['-c', script] }, process.env);
  const { problem } = await ended;
  expect(problem).toMatch(/^x+end$/);
  expect(problem).toHaveLength(2_000);
});
