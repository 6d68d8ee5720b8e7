import { readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileName } from '../src/journal/disk.ts';
import { openJournal } from '../src/journal/journal.ts';

/**
 * Damages a journal on the disk of the given folder, which has room for its log only, then frees some of it. Prints what
 * the journal has delivered and lost, as JSON.
 */
const [folder = ''] = process.argv.slice(2);
const path = join(folder, 'journal');
const journal = await openJournal(path);
journal.append(Array.from({ length: 4_000 }, (_, index) => ({ at: 1_000 + index, direction: 1 as const })));
await journal.close();
const file = join(path, fileName);
const content = readFileSync(file);
content.fill(7, content.length / 2, content.length / 2 + 700);
writeFileSync(file, content);
const other = join(folder, 'other');
const { bavail, bsize } = statfsSync(folder);
writeFileSync(other, Buffer.alloc(bavail * bsize - 2 * content.length));

const damaged = await openJournal(path, { retryEvery: 10 });
rmSync(other);
while (damaged.storageProblem) await setTimeout(5);
let delivered = 0;
for (let batch = damaged.next(500); batch; batch = damaged.next(500)) {
  delivered += batch.crossings.length;
  damaged.acknowledge(batch);
}
const lost = damaged.lost.reduce((sum, [, first, last]) => sum + last - first + 1, 0);
await damaged.close();
process.stdout.write(JSON.stringify({ delivered, lost }));
