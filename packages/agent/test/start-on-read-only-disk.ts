import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileName } from '../src/journal/disk.ts';
import { type Journal, openJournal } from '../src/journal/journal.ts';

/**
 * Starts on the disk of the given folder while that is read-only, after a power cut that has left a log in which
 * acknowledged crossings were removed; then the disk can be written. Prints what is pending, as JSON.
 */
const [folder = ''] = process.argv.slice(2);
const remount = (option: string) =>
  execFileSync('sh', ['-c', `mount -o remount,${option} "$1"`, 'sh', folder]);
const people = (count: number, from: number) =>
  Array.from({ length: count }, (_, index) => ({ at: from + index, direction: 1 as const }));
const deliver = (journal: Journal, most = Number.POSITIVE_INFINITY) => {
  let delivered = 0;
  for (let batch = journal.next(50); batch && delivered < most; batch = journal.next(50)) {
    delivered += batch.crossings.length;
    journal.acknowledge(batch);
  }
};
const first = await openJournal(join(folder, 'first'), { keepFor: 1e12 });
first.append(people(700, 1_000));
deliver(first, 150);
await first.close();
const killed = await openJournal(join(folder, 'first'));
deliver(killed);
const left = join(folder, 'left');
mkdirSync(left);
for (const name of [fileName, `${fileName}-wal`]) copyFileSync(join(folder, 'first', name), join(left, name));
await killed.close();
remount('ro');

const journal = await openJournal(left, { retryEvery: 10 });
journal.append(people(1, 9_000));
remount('rw');
while (journal.storageProblem) await setTimeout(5);
deliver(journal);
const { pending, lost } = journal;
await journal.close();
process.stdout.write(JSON.stringify({ pending, lost }));
