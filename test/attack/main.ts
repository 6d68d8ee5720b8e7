import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from '@visitor-counter/database/create-database';
import { startEmbeddedServer } from '@visitor-counter/database/embedded/server';
import { Command, InvalidArgumentError } from 'commander';
import { anySeed } from './fuzz/random.ts';
import { residentTolerance, runFuzz, tolerance } from './run-fuzz.ts';

const options = new Command('attack')
  .description('Attack a gateway with random and mutated MQTT packets, and look at what is left of it.')
  .option('--packets <n>', 'packets to send', whole, 1_000_000)
  .option('--seed <n>', 'the same seed sends the same packets', whole, anySeed())
  .addHelpText('after', '\nExit codes: 0 no crash, no error, memory back where it was; 1 otherwise.')
  .parse()
  .opts<{ packets: number; seed: number }>();

const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-attack-'));
const server = await startEmbeddedServer({ folder });
console.error(`seed ${options.seed}`);
let sentSoFar = 0;
const telling = setInterval(() => console.error(`${sentSoFar.toLocaleString('en-US')} packets`), 5_000);
try {
  await createDatabase(server.url('postgres'), 'attack');
  const result = await runFuzz({
    ...options,
    databaseUrl: server.url('attack'),
    onProgress: (sent) => {
      sentSoFar = sent;
    },
  });
  const { sent, memoryBefore, memoryAfter, resident, errors, serves } = result;
  for (const error of errors) console.log(error);
  console.log(`${sent} packets, ${errors.length} errors, serves units afterwards: ${serves ? 'yes' : 'no'}`);
  console.log(`memory in use ${megabytes(memoryBefore)} MB before, ${megabytes(memoryAfter)} MB after`);
  const { before, peak, after } = resident;
  console.log(
    `resident ${megabytes(before)} MB before, ${megabytes(peak)} MB at most, ${megabytes(after)} MB after`,
  );
  const isBack = memoryAfter <= memoryBefore + tolerance && after <= before + residentTolerance;
  process.exitCode = errors.length === 0 && serves && isBack ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  clearInterval(telling);
  await server.stop();
  await rm(folder, { recursive: true });
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(0);
}

function whole(value: string): number {
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('expected a whole number');
}
