import { appendFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { monotonicNow } from '../src/clock/time.ts';
import { edgeLine } from './edge-line.ts';

/** Writes the edges of people who enter and leave in turn to a pipe, at the moment of each, as `gpiomon` does. */
const [pipe = '', people = ''] = process.argv.slice(2);
for (let person = 0; person < Number(people); person += 1) {
  const [first, second] = person % 2 === 0 ? ['GPIO17', 'GPIO27'] : ['GPIO27', 'GPIO17'];
  for (const kind of [2, 1] as const) {
    for (const line of [first, second]) {
      appendFileSync(pipe, edgeLine(line, kind, Math.floor(monotonicNow())));
      await setTimeout(70);
    }
  }
  await setTimeout(150);
}
