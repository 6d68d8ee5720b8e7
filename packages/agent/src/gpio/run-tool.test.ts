import { expect, test } from 'vitest';
import { explainFailure } from './run-tool.ts';

/** Messages of the tools 2.2.1 (trixie) and 1.6.3 (bookworm) on a real kernel. */
test.each([
  [
    2,
    'gpiomon: unable to request lines on chip /dev/gpiochip0: Device or resource busy',
    1,
    'gpio-line-busy',
  ],
  [2, "gpiomon: cannot find line 'GPIO99'", 1, 'gpio-line-missing'],
  [2, "gpiomon: cannot find line 'GPIO17'", 0, 'gpio-permission'],
  [1, 'gpiofind: error performing the line lookup: Permission denied', 0, 'gpio-permission'],
  [1, 'gpiofind: error performing the line lookup: Invalid argument', 1, 'gpio-kernel-too-new'],
  [1, 'gpiomon: error waiting for events: Invalid argument', 1, 'gpio-kernel-too-new'],
  [2, 'gpiomon: error reading line events: No such device', 1, 'gpio-stopped'],
  [2, 'gpiomon: invalid bias: foo', 1, 'gpio-setting'],
  [2, '', 1, 'gpio-stopped'],
])('version %i says %j with %i open chip: %s', (major, stderr, openChips, code) => {
  const failure = { program: 'gpiomon', major, stderr, ended: 'SIGKILL', chips: 1, openChips };
  const error = explainFailure(failure);
  expect(error.code).toBe(code);
  expect(error.message).toMatch(stderr === '' ? /^gpiomon ended with SIGKILL \(/ : `${stderr} (`);
});

test('reports a missing GPIO chip, whatever the tool prints', () => {
  const stderr = "gpiomon: cannot find line 'GPIO17'";
  const failure = { program: 'gpiomon', major: 2, stderr, ended: 1, chips: 0, openChips: 0 };
  expect(explainFailure(failure).message).toMatch(/there is no \/dev\/gpiochip/);
});

test('reports a line that libgpiod 1.6 does not find without a message', () => {
  const failure = { program: 'gpiofind', major: 1, stderr: '', ended: 1, chips: 1, openChips: 1 };
  expect(explainFailure(failure).code).toBe('gpio-line-missing');
});
