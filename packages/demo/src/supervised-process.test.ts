import { expect, test } from 'vitest';
import { startProcess } from './supervised-process.ts';

test.each(['stdout', 'stderr'])('reads the %s of a process whose log cannot be written', async (output) => {
  const ready = '() => process.send({ ready: true })';
  const printing = startProcess({
    name: 'printer',
    args: ['-e', `process.${output}.write('x'.repeat(1_000_000), ${ready}); setInterval(() => {}, 1_000)`],
    env: {},
    logFile: '/dev/full',
    onUnexpectedEnd: () => {},
  });
  await expect(printing).resolves.toBeDefined();
  await (await printing).stop();
});
