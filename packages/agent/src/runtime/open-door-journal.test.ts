import { join } from 'node:path';
import { createLogger } from '@visitor-counter/service/logger';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, test } from 'vitest';
import { monotonicNow } from '../clock/time.ts';
import { UnitClock } from '../clock/unit-clock.ts';
import { nodeFileSystem } from '../journal/file-system.ts';
import { openDoorJournal } from './open-door-journal.ts';

test('does not report the acknowledged position as not stored if only a segment cannot be removed', async () => {
  const folder = await temporaryFolder();
  let lines = '';
  const write = (line: string) => {
    lines += line;
  };
  const remove = async (path: string) => {
    if (path.endsWith('.journal')) throw Object.assign(new Error('EIO: unlink'), { code: 'EIO' });
    await nodeFileSystem.remove(path);
  };
  const log = createLogger('agent', {}, { write });
  const beams = { source: 'replay', file: 'door.csv' } as const;
  const door = { serial: 'CU-1', secret: 's', journal: join(folder, 'journal'), beams, detector: {} };
  const unit = { server: 'mqtt://127.0.0.1:1', doors: [door], keep: { days: 0 } };
  const clock = await UnitClock.start({
    boot: 'b'.repeat(32),
    monotonic: monotonicNow,
    wall: () => 0,
    synchronised: async () => true,
    pollInterval: 1,
    gatewayTimeAfter: 1,
  });
  const parts = { unit, files: { ...nodeFileSystem, remove }, clock, reading: {}, log };
  const journal = await openDoorJournal(door, parts);
  for (const first of [1, 5_000])
    await journal.append(Array.from({ length: 4_999 }, (_, index) => ({ at: first + index, direction: 1 })));
  journal.acknowledge(journal.recorded, 1);

  await journal.close();

  expect(lines).toContain('EIO: unlink');
  expect(lines).not.toContain('position not stored');
});
