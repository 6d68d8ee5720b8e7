import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const begin = Date.UTC(2026, 0, 1);

/** Writes a trace of people who alternately walk in and out, one a second, four edges each. */
export async function writeWalks(path: string, people: number): Promise<void> {
  await writeLines(path, function* () {
    for (let person = 0; person < people; person += 1) {
      const at = begin + person * 1_000;
      const [first, second] = person % 2 === 0 ? ['a', 'b'] : ['b', 'a'];
      yield `${at},${first},1\n${at + 200},${second},1\n${at + 400},${first},0\n${at + 600},${second},0\n`;
    }
  });
}

const changesPerPassage = [
  ['a', 1],
  ['b', 1],
  ['a', 0],
  ['b', 0],
] as const;

/** Writes a trace of 3,000 edges a second: one person a second, each change of a beam chattering 749 times. */
export async function writeChatter(path: string, seconds: number): Promise<void> {
  await writeLines(path, function* () {
    for (let second = 0; second < seconds; second += 1) {
      for (const [change, [line, level]] of changesPerPassage.entries()) {
        const at = begin + second * 1_000 + change * 200;
        yield Array.from({ length: 750 }, (_, edge) => {
          const value = edge % 2 === 0 ? level : 1 - level;
          return `${at + Math.floor(edge * 0.12)},${line},${edge === 749 ? level : value}\n`;
        }).join('');
      }
    }
  });
}

async function writeLines(path: string, lines: () => Iterable<string>): Promise<void> {
  await pipeline(Readable.from(lines()), createWriteStream(path));
}
