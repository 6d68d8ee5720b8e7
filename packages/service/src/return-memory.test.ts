import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { isWorthCollecting } from './return-memory.ts';

const megabyte = 1024 * 1024;

test('collects garbage only if the heap has grown by half and by a large amount', () => {
  expect(isWorthCollecting({ size: 60 * megabyte, baseline: 58 * megabyte })).toBe(false);
  expect(isWorthCollecting({ size: 40 * megabyte, baseline: 20 * megabyte })).toBe(false);
  expect(isWorthCollecting({ size: 240 * megabyte, baseline: 58 * megabyte })).toBe(true);
});

test('returns the memory of a load to the system after it is over', async () => {
  const child = fork(fileURLToPath(new URL('../test/flooded-service.ts', import.meta.url)));
  onTestFinished(() => void child.kill());
  let seen = { before: 0, most: 0, now: 0 };
  child.on('message', (message: typeof seen) => {
    seen = message;
  });
  await expect.poll(() => seen.most - seen.before).toBeGreaterThan(64 * megabyte);

  await expect.poll(() => (seen.now - seen.before) / (seen.most - seen.before)).toBeLessThan(0.4);
});
