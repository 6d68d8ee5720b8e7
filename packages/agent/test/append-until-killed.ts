import type { Crossing } from '@visitor-counter/domain/crossing';
import { openJournal } from '../src/journal/journal.ts';

/** Appends to the journal in the given folder, in groups of 1 to 5, and prints the count after each. */
const [folder = ''] = process.argv.slice(2);
const journal = await openJournal(folder);
for (let next = journal.recorded + 1; ; ) {
  const group = Array.from({ length: 1 + (next % 5) }, (_, index) => crossing(next + index));
  journal.append(group);
  next += group.length;
  process.stdout.write(`${next - 1}\n`);
}

function crossing(sequence: number): Crossing {
  return { at: 1_700_000_000_000 + sequence * 1_000, direction: sequence % 3 === 0 ? -1 : 1 };
}
