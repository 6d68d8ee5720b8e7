import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openJournal } from '../src/journal/journal.ts';

/** Fills the disk of the given folder with crossings, then frees some of it. Prints what the journal has said, as JSON. */
const [folder = ''] = process.argv.slice(2);
const other = join(folder, 'other');
writeFileSync(other, Buffer.alloc(60_000));
const journal = await openJournal(join(folder, 'journal'), { retryEvery: 10 });
let appended = 0;
const append = () => {
  appended += 1;
  journal.append([{ at: appended, direction: 1 }]);
};
while (!journal.storageProblem) append();
const problem = journal.storageProblem?.problem;
for (let more = 0; more < 5; more += 1) append();
const { held } = journal;
rmSync(other);
while (journal.storageProblem) await setTimeout(5);
append();
await journal.close();

const again = await openJournal(join(folder, 'journal'));
const delivered: number[] = [];
const keys = new Set<string>();
for (let batch = again.next(100); batch; batch = again.next(100)) {
  for (const { at, sequence } of batch.crossings) {
    delivered.push(at);
    keys.add(`${batch.journal} ${sequence}`);
  }
  again.acknowledge(batch);
}
await again.close();
const isEachOnce = new Set(delivered).size === appended && keys.size === appended;
process.stdout.write(JSON.stringify({ problem, held, appended, delivered: delivered.length, isEachOnce }));
