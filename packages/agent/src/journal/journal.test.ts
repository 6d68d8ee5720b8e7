import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Crossing } from '@visitor-counter/domain/crossing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FileSystem, OpenFile } from './file-system.ts';
import { nodeFileSystem } from './file-system.ts';
import type { Journal } from './journal.ts';
import { openJournal } from './open-journal.ts';

let root: string;
let folders = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'visitor-counter-journal-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const newFolder = () => join(root, String(++folders));

const crossings = (count: number, from = 1): Crossing[] =>
  Array.from({ length: count }, (_, index) => ({
    at: 1_700_000_000_000 + (from + index) * 1_000,
    direction: (from + index) % 3 === 0 ? -1 : 1,
  }));

async function readAll(journal: Journal) {
  const all = [];
  for (let next = 1; ; ) {
    const run = await journal.read(next, 7);
    const last = run.at(-1);
    if (!last) return all;
    all.push(...run);
    next = last.sequence + 1;
  }
}

const numbered = (count: number) =>
  crossings(count).map((crossing, index) => ({ ...crossing, sequence: index + 1, uncertainty: 0 }));

/** A journal of 10 crossings in segments of 4, closed, and its folder. */
async function tenInThree(): Promise<{ folder: string; names: string[] }> {
  const folder = newFolder();
  const journal = await openJournal(folder, { recordsPerSegment: 4 });
  await journal.append(crossings(10));
  await journal.close();
  return { folder, names: (await readdir(folder)).filter((name) => name.endsWith('.journal')).sort() };
}

test('numbers crossings from 1 without gaps over appends, segments and restarts', async () => {
  const folder = newFolder();
  for (let start = 1; start <= 26; start += 5) {
    const journal = await openJournal(folder, { recordsPerSegment: 4 });
    expect(journal.recorded).toBe(start - 1);
    await Promise.all([journal.append(crossings(2, start)), journal.append(crossings(3, start + 2))]);
    expect(await readAll(journal)).toEqual(numbered(start + 4));
    await journal.close();
  }
});

test('writes concurrent appends with one fdatasync', async () => {
  let syncs = 0;
  const files = withFiles({
    sync: (sync) => {
      syncs += 1;
      return sync();
    },
  });
  const journal = await openJournal(newFolder(), { files });
  await journal.append(crossings(1));
  syncs = 0;
  await Promise.all(Array.from({ length: 50 }, (_, index) => journal.append(crossings(1, index + 2))));
  expect(syncs).toBeLessThanOrEqual(2);
  expect(await readAll(journal)).toEqual(numbered(51));
  await journal.close();
});

test('frees acknowledged segments except the last one, and preserves the sequence and the last instant', async () => {
  const { folder } = await tenInThree();
  const journal = await openJournal(folder, { recordsPerSegment: 4 });
  journal.acknowledge(9, crossings(1, 9)[0]?.at ?? 0);
  /* An acknowledgement never takes an earlier one back. */
  journal.acknowledge(3, 1);
  await journal.close();
  expect((await readdir(folder)).sort()).toEqual(['0000000000000009.journal', 'acknowledged.json']);
  const again = await openJournal(folder, { recordsPerSegment: 4 });
  expect(again).toMatchObject({ id: journal.id, recorded: 10, acknowledged: 9, lost: [] });
  expect(again.recordedAt).toBe(crossings(1, 10)[0]?.at);
  expect(await again.read(1, 10)).toEqual(numbered(10).slice(8));
  expect(again.lost).toEqual([]);
  await again.close();
});

test('frees segments later that the disk could not remove', async () => {
  let failing = true;
  const remove = async (path: string) => {
    if (failing) throw new Error('EIO');
    await nodeFileSystem.remove(path);
  };
  const { folder } = await tenInThree();
  const problems: unknown[] = [];
  const journal = await openJournal(folder, {
    files: { ...nodeFileSystem, remove },
    onProblem: (error) => problems.push(error),
  });
  await journal.append(crossings(600, 11));
  journal.acknowledge(609, 9);
  await expect.poll(() => problems).toHaveLength(1);
  failing = false;
  journal.acknowledge(610, 10);
  await journal.close();
  expect((await readdir(folder)).sort()).toEqual(['0000000000000009.journal', 'acknowledged.json']);
});

test('sends crossings again after the acknowledged position is lost', async () => {
  const { folder } = await tenInThree();
  const journal = await openJournal(folder);
  journal.acknowledge(9, 1);
  await journal.close();
  await writeFile(join(folder, 'acknowledged.json'), '{"journal":');
  const again = await openJournal(folder);
  expect(again).toMatchObject({ id: journal.id, recorded: 10, acknowledged: 8, lost: [] });
  await again.close();
});

test('never uses a sequence again that the server has acknowledged, and still has the crossings before it', async () => {
  const { folder, names } = await tenInThree();
  const journal = await openJournal(folder, { recordsPerSegment: 4 });
  const lastAt = journal.recordedAt;
  journal.acknowledge(10, lastAt);
  await journal.close();
  await truncate(join(folder, names.at(-1) ?? ''), 128 + 32);
  const again = await openJournal(folder, { recordsPerSegment: 4 });
  expect(again).toMatchObject({ recorded: 10, recordedAt: lastAt });
  expect(await again.read(9, 5)).toEqual(numbered(9).slice(8));
  await again.append(crossings(1, 11));
  expect(await again.read(11, 5)).toEqual(numbered(11).slice(10));
  await again.close();
});

test.each(['write', 'sync'] as const)(
  'holds crossings in memory after a failed %s without reporting them as stored, and stores all of them once later',
  async (operation) => {
    let failing = false;
    const files = withFiles({
      [operation]: (work: () => Promise<void>) => (failing ? Promise.reject(new Error('EIO')) : work()),
    });
    const folder = newFolder();
    const journal = await openJournal(folder, { files, retryEvery: 5 });
    await journal.append(crossings(3));
    failing = true;
    const both = [journal.append(crossings(1, 4)), journal.append(crossings(1, 5))];
    await expect.poll(() => journal).toMatchObject({ storageProblem: { problem: 'failed' }, held: 2 });
    expect(journal.recorded).toBe(3);
    failing = false;
    await Promise.all(both);
    await journal.close();
    const again = await openJournal(folder);
    expect(await readAll(again)).toEqual(numbered(5));
    await again.close();
  },
);

/** The real file system with two operations of its files wrapped. */
function withFiles(
  wrap: Partial<Record<'write' | 'sync', (work: () => Promise<void>) => Promise<void>>>,
): FileSystem {
  const wrapped = (file: OpenFile): OpenFile => ({
    ...file,
    write: (buffer, position) => (wrap.write ?? ((work) => work()))(() => file.write(buffer, position)),
    sync: () => (wrap.sync ?? ((work) => work()))(() => file.sync()),
  });
  return {
    ...nodeFileSystem,
    open: async (path) => wrapped(await nodeFileSystem.open(path)),
    create: async (path) => wrapped(await nodeFileSystem.create(path)),
  };
}

const child = fileURLToPath(new URL('../../test/append-until-killed.ts', import.meta.url));

/** Starts a process that appends to a journal and prints how many crossings are stored, one count a line. */
function startAppending(folder: string) {
  const process_ = spawn(process.execPath, [child, folder], { stdio: ['ignore', 'pipe', 'pipe'] });
  return { process_, lines: createInterface({ input: process_.stdout }) };
}

test('refuses a second process on the same journal', async () => {
  const folder = newFolder();
  const journal = await openJournal(folder);
  const { process_ } = startAppending(folder);
  let errors = '';
  process_.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const [code] = await once(process_, 'close');
  expect(code).not.toBe(0);
  expect(errors).toContain('is in use by another process');
  await journal.close();
});

test('has every stored crossing once and in order after SIGKILL at any moment', async () => {
  const folder = newFolder();
  let before = 0;
  for (const after of [1, 40, 7, 150, 23]) {
    const { process_, lines } = startAppending(folder);
    let reported = before;
    let lineCount = 0;
    for await (const line of lines) {
      reported = Number(line);
      lineCount += 1;
      if (lineCount === after) process_.kill('SIGKILL');
    }
    const journal = await openJournal(folder, { recordsPerSegment: 64 });
    expect(journal.recorded).toBeGreaterThanOrEqual(reported);
    expect(journal.lost).toEqual([]);
    expect(await readAll(journal)).toEqual(numbered(journal.recorded));
    before = journal.recorded;
    await journal.close();
  }
});
