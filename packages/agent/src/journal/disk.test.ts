import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { faultyDisk } from '../../test/temporary-journal.ts';
import { fileName, isInUse } from './disk.ts';
import { type Journal, openJournal } from './journal.ts';
import { NotStored } from './journal-errors.ts';
import { pageSize } from './write-ahead-log.ts';

const run = promisify(execFile);

/** Appends crossings one by one, each in a transaction of its own. */
function append(journal: Journal, count: number, at: number): void {
  for (let one = 0; one < count; one += 1) journal.append([{ at: at + one, direction: 1 }]);
}

/** What the server has of a journal: the instants by journal and sequence. */
function deliver(journal: Journal): Map<string, number> {
  const delivered = new Map<string, number>();
  for (let batch = journal.next(50); batch; batch = journal.next(50)) {
    for (const { sequence, at } of batch.crossings) delivered.set(`${batch.journal} ${sequence}`, at);
    journal.acknowledge(batch);
  }
  return delivered;
}

/** How many bytes of a log have been written: it has its final size from the start. */
function usedBytes(path: string): number {
  const written = readFileSync(path).findLastIndex((byte) => byte !== 0) + 1;
  const [header, frame] = [32, 24 + pageSize];
  return header + Math.ceil((written - header) / frame) * frame;
}

/** The files of a journal that a power cut has left, with a log; and what the server had before. */
async function afterPowerCut(count: number, serial?: string) {
  const folder = await temporaryFolder();
  await (await openJournal(folder, { serial })).close();
  const journal = await openJournal(folder, { serial });
  onTestFinished(() => journal.close());
  const path = join(folder, fileName);
  append(journal, count - 2, 1_000);
  const lastTwoBegin = usedBytes(`${path}-wal`);
  append(journal, 1, 1_000 + count - 2);
  const lastBegins = usedBytes(`${path}-wal`);
  append(journal, 1, 1_000 + count - 1);
  const end = usedBytes(`${path}-wal`);
  const published = deliver(journal);
  const [database, log] = [readFileSync(path), readFileSync(`${path}-wal`)];
  /** The files on another card. */
  const copy = async () => {
    const other = await temporaryFolder();
    writeFileSync(join(other, fileName), database);
    writeFileSync(join(other, `${fileName}-wal`), log);
    return { folder: other, logPath: join(other, `${fileName}-wal`) };
  };
  return { id: journal.id, published, lastTwoBegin, lastBegins, end, log, copy };
}

test('continues the same journal after a power cut during the last transaction', async () => {
  const { id, lastBegins, end, log, copy } = await afterPowerCut(20);
  for (const length of [lastBegins, lastBegins + 1, lastBegins + 300, end - 1]) {
    const { folder, logPath } = await copy();
    await writeFile(logPath, Buffer.from(log).fill(0, length, end));
    const journal = await openJournal(folder);
    expect(journal).toMatchObject({ id, recorded: 19, lost: [] });
    await journal.close();
  }
});

test('continues the same journal after its process was killed when SQLite began its log again', async () => {
  const [folder, other] = [await temporaryFolder(), await temporaryFolder()];
  const first = await openJournal(folder);
  append(first, 3, 1_000);
  await first.close();
  const open = await openJournal(folder);
  const log = readFileSync(join(folder, `${fileName}-wal`));
  log.writeUInt32BE((log.readUInt32BE(16) + 1) % 2 ** 32, 16);
  log.writeUInt32BE((log.readUInt32BE(20) + 12_345) % 2 ** 32, 20);
  const database = readFileSync(join(folder, fileName));
  await open.close();
  /* It has written no page of the first transaction, or a part of one. */
  const torn = Buffer.from(log);
  log.copy(torn, 32 + 8, 16, 24);
  for (const left of [log, torn]) {
    writeFileSync(join(other, `${fileName}-wal`), left);
    writeFileSync(join(other, fileName), database);
    const journal = await openJournal(other);
    expect(journal).toMatchObject({ id: first.id, recorded: 3, lost: [] });
    await journal.close();
  }
});

test('never uses a sequence again after a power cut while it begins a new journal because its log is damaged', async () => {
  const { id, log, copy } = await afterPowerCut(20);
  const { folder, logPath } = await copy();
  const damaged = Buffer.from(log);
  damaged.writeUInt8(damaged.readUInt8(2_000) ^ 1, 2_000);
  writeFileSync(logPath, damaged);
  /** What is written when the transaction that begins the journal is made durable. */
  let database: Buffer | undefined;
  let written = damaged;
  const beforeUse = (operation: string) => {
    if (operation !== 'sync' || database) return;
    database = readFileSync(join(folder, fileName));
    written = readFileSync(logPath);
  };
  await (await openJournal(folder, { beforeUse })).close();
  if (!database) throw new Error('no journal was begun');
  const before = written.length < damaged.length ? Buffer.alloc(0) : damaged;

  for (let length = 0; length < 3_000; length += 40) {
    const other = await temporaryFolder();
    writeFileSync(join(other, fileName), database);
    writeFileSync(
      join(other, `${fileName}-wal`),
      Buffer.concat([written.subarray(0, length), before.subarray(length)]),
    );
    const journal = await openJournal(other);
    expect(journal.id).not.toBe(id);
    await journal.close();
  }
});

test('never sends another crossing under a sequence that was sent, if its log is missing or damaged', async () => {
  const { id, published, lastTwoBegin, log, copy } = await afterPowerCut(40);
  const place = fc.integer({ min: 0, max: lastTwoBegin - 1 });
  const damage = fc.oneof(
    fc.record({ does: fc.constant('remove' as const), at: place, bits: fc.constant(0) }),
    fc.record({ does: fc.constant('cut' as const), at: place, bits: fc.constant(0) }),
    fc.record({ does: fc.constant('flip' as const), at: place, bits: fc.integer({ min: 1, max: 255 }) }),
    fc.record({ does: fc.constant('zero' as const), at: place, bits: fc.constant(0) }),
  );
  await fc.assert(
    fc.asyncProperty(damage, async ({ does, at, bits }) => {
      const { folder, logPath } = await copy();
      const damaged = Buffer.from(log);
      if (does === 'flip') damaged.writeUInt8(damaged.readUInt8(at) ^ bits, at);
      if (does === 'zero') damaged.fill(0, at, Math.min(at + 4_096, lastTwoBegin));
      if (does === 'remove') await rm(logPath);
      else await writeFile(logPath, does === 'cut' ? log.subarray(0, at) : damaged);
      const journal = await openJournal(folder);
      append(journal, 50, 9_000);
      for (const [key, instant] of deliver(journal)) expect(published.get(key) ?? instant).toBe(instant);
      if (does === 'remove' || does === 'cut') expect(journal.id).not.toBe(id);
      await journal.close();
    }),
    { numRuns: 30 },
  );
});

test('changes nothing in the journal of another device whose log is missing', async () => {
  const { id, copy } = await afterPowerCut(3, 'CU-1');
  const { folder, logPath } = await copy();
  await rm(logPath);

  await expect(openJournal(folder, { serial: 'CU-2' })).rejects.toThrow('this one is of CU-1');

  const journal = await openJournal(folder, { serial: 'CU-1' });
  expect(journal.journals.map(({ serial }) => serial)).toEqual(['CU-1', 'CU-1']);
  expect(journal.id).not.toBe(id);
  await journal.close();
});

test('is open for one process at a time', async () => {
  const folder = await temporaryFolder();
  expect(isInUse(folder)).toBe(false);
  const journal = await openJournal(folder);
  await expect(openJournal(join(folder, '../', basename(folder)))).rejects.toThrow(
    'a folder that no other agent has open',
  );
  expect(isInUse(folder)).toBe(true);
  await journal.close();
  expect(isInUse(folder)).toBe(false);
});

test('reads a file later that it cannot open now, and never replaces it', async () => {
  const folder = await temporaryFolder();
  const before = await openJournal(folder);
  append(before, 3, 1_000);
  const { id } = before;
  await before.close();
  const { disk, beforeUse } = faultyDisk();
  disk.code = 'EIO';

  const journal = await openJournal(folder, { retryEvery: 5, beforeUse });
  append(journal, 2, 2_000);
  expect(journal).toMatchObject({ held: 2 });
  disk.code = undefined;
  await expect.poll(() => journal.storageProblem).toBeUndefined();

  expect(journal.id).toBe(id);
  expect([...deliver(journal).values()].toSorted((a, b) => a - b)).toEqual([
    1_000, 1_001, 1_002, 2_000, 2_001,
  ]);
  await journal.close();
  await expect(access(join(folder, `${fileName}.damaged`))).rejects.toThrow('ENOENT');
});

const isRoot = process.getuid?.() === 0;

/** Runs a program of the folder `test` with a disk of its own, which is `size` large; returns the JSON that it prints. */
async function onSmallDisk(program: string, size: string, skip: (note: string) => never) {
  const path = fileURLToPath(new URL(`../../test/${program}`, import.meta.url));
  const script = 'mount -t tmpfs -o size="$4" none "$1" || exit 77; exec "$2" "$3" "$1"';
  const shell = ['-m', 'sh', '-c', script, 'sh', await temporaryFolder(), process.execPath, path, size];
  const ran = await run('unshare', shell).catch((error: Error & { code?: unknown }) => {
    if (error.code === 77 || error.code === 'ENOENT') return skip('mounting is not allowed here');
    throw error;
  });
  return JSON.parse(ran.stdout);
}

test.skipIf(!isRoot)(
  'holds crossings while its disk is really full, and stores them when there is room',
  async ({ skip }) => {
    const { appended, ...said } = await onSmallDisk('fill-disk.ts', '300k', skip);
    expect(said).toMatchObject({ problem: 'full', held: expect.any(Number), isEachOnce: true });
    expect(said.held).toBeGreaterThanOrEqual(5);
    expect(said.delivered).toBe(appended);
  },
);

test.skipIf(!isRoot)('saves a damaged journal on a disk that is full meanwhile', async ({ skip }) => {
  const { delivered, lost } = await onSmallDisk('repair-on-full-disk.ts', '4m', skip);
  expect(delivered + lost).toBe(4_000);
  expect(lost).toBeLessThan(200);
});

test.skipIf(!isRoot)(
  'delivers everything after a start on a read-only disk that can be written later',
  async ({ skip }) => {
    const said = await onSmallDisk('start-on-read-only-disk.ts', '4m', skip);
    expect(said).toEqual({ pending: 0, lost: [] });
  },
);

test('answers nothing about its crossings while its file cannot be opened', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, fileName));
  const journal = await openJournal(folder);
  onTestFinished(() => journal.close());
  expect(() => journal.continueFrom('a journal that may be there', 1)).toThrow(NotStored);
});
