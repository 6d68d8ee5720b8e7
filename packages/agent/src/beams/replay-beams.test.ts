import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ReplayBeams } from './replay-beams.ts';

test('plays a trace with its recorded intervals although the clock of the machine is set back', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'door.csv');
  await writeFile(file, '1000,a,1\n1020,b,1\n');
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const beams = new ReplayBeams({ source: 'replay', file, realTime: true });

  const played: number[] = [];
  for await (const edges of beams.edges(new AbortController().signal)) {
    played.push(...edges.map(({ at }) => at));
    vi.setSystemTime(Date.now() - 3_600_000);
  }

  expect(played).toEqual([1_000, 1_020]);
});
