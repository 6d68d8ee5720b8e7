import { expect, onTestFinished, test, vi } from 'vitest';
import { BoundedLog } from './bounded-log.ts';
import { createLogger } from './logger.ts';

function start() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const lines: Record<string, unknown>[] = [];
  const log = createLogger('test', {}, { write: (line) => lines.push(JSON.parse(line)) });
  return { lines, log: new BoundedLog(log, { lines: 3, window: 1_000 }) };
}

test('limits the lines of a message in a window, and then logs how many it left out', () => {
  const { lines, log } = start();
  for (let n = 0; n < 1_000; n += 1) log.write('info', { n }, 'refused');
  log.write('warn', {}, 'another');
  expect(lines.map(({ msg, n }) => [msg, n])).toEqual([
    ['refused', 0],
    ['refused', 1],
    ['refused', 2],
    ['another', undefined],
  ]);

  vi.advanceTimersByTime(1_000);
  expect(lines.slice(4)).toMatchObject([{ msg: 'refused', leftOut: 997, seconds: 1 }]);

  log.write('info', { n: 1_000 }, 'refused');
  expect(lines.at(-1)).toMatchObject({ n: 1_000 });
  vi.advanceTimersByTime(1_000);
  expect(lines).toHaveLength(6);
});
