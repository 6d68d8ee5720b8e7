import { expect, test } from 'vitest';
import { oneAtATime } from './loaded.tsx';

test('completes a run that takes longer than the pauses between calls, and runs once more after it', async () => {
  const begun: PromiseWithResolvers<void>[] = [];
  const ended: number[] = [];
  const run = oneAtATime(async () => {
    const number = begun.push(Promise.withResolvers());
    await begun[number - 1]?.promise;
    ended.push(number);
  });
  run();
  run();
  run();
  expect(begun).toHaveLength(1);
  begun[0]?.resolve();
  await expect.poll(() => begun.length).toBe(2);
  expect(ended).toEqual([1]);
  begun[1]?.resolve();
  await expect.poll(() => ended).toEqual([1, 2]);
  expect(begun).toHaveLength(2);
  run();
  expect(begun).toHaveLength(3);
});
