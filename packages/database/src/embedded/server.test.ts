import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type EmbeddedServer, startEmbeddedServer } from './server.ts';

/** A folder below one that only its owner may enter. */
async function closedFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-embedded-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'checkout', '.data', 'postgres');
}

async function query(server: Pick<EmbeddedServer, 'url'>, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: server.url('postgres') });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

test('runs below a folder of mode 700, discards an incomplete cluster, and preserves data across runs', async () => {
  const folder = await closedFolder();
  await mkdir(join(folder, 'data.unfinished'), { recursive: true });
  await writeFile(join(folder, 'data.unfinished', 'PG_VERSION'), '18');

  const first = await startEmbeddedServer({ folder });
  await query(first, 'create table kept as select 42 as answer');
  await first.stop();
  const second = await startEmbeddedServer({ folder });
  const rows = await query(second, 'select answer from kept');
  await second.stop();

  expect(rows).toEqual([{ answer: 42 }]);
});

/** A process that runs an embedded server until it is killed. */
async function starter(folder: string): Promise<{ process: ChildProcess; url: string }> {
  const script = `
    const { startEmbeddedServer } = await import(${JSON.stringify(join(import.meta.dirname, 'server.ts'))});
    const server = await startEmbeddedServer({ folder: ${JSON.stringify(folder)} });
    console.log(server.url('postgres'));`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  return { process: child, url: String(line).trim() };
}

test('stops the server of a process that was killed, preserves its data, and refuses the folder of a running one', async () => {
  const folder = await closedFolder();
  const { process: killed, url } = await starter(folder);
  const earlier = { url: () => url };
  await query(earlier, 'create table kept as select 42 as answer');
  const [postmaster] = (await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8')).split('\n');
  await expect(startEmbeddedServer({ folder })).rejects.toThrow(`process ${killed.pid} is using it`);

  killed.kill('SIGKILL');
  await once(killed, 'close');
  const server = await startEmbeddedServer({ folder });

  expect(await query(server, 'select answer from kept')).toEqual([{ answer: 42 }]);
  await expect(query(earlier, 'select')).rejects.toThrow();
  expect((await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8')).startsWith(`${postmaster}\n`)).toBe(
    false,
  );
  await server.stop();
});

test('starts again after a crash of the server, even if another process now has its pid', async () => {
  const folder = await closedFolder();
  const crashed = await startEmbeddedServer({ folder });
  await query(crashed, 'create table kept as select 42 as answer');
  const lockFile = join(folder, 'data', 'postmaster.pid');
  const lock = await readFile(lockFile, 'utf8');
  process.kill(Number.parseInt(lock, 10), 'SIGKILL');
  await crashed.ended;
  await writeFile(lockFile, lock.replace(/^\d+/, String(process.pid)));

  const server = await vi.waitFor(() => startEmbeddedServer({ folder }), { timeout: 300_000, interval: 200 });

  expect(await query(server, 'select answer from kept')).toEqual([{ answer: 42 }]);
  await server.stop();
});

test('waits for a recovery after a crash, however long it takes', async () => {
  const folder = await closedFolder();
  await startEmbeddedServer({ folder }).then((server) => server.stop());
  const data = (name: string) => join(folder, 'data', name);
  /* Such a server recovers until it is promoted, and refuses connections meanwhile. */
  await writeFile(data('standby.signal'), '');
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());

  const started = startEmbeddedServer({ folder, settings: { hot_standby: 'off' } });
  const log = () => readFile(join(folder, 'server.log'), 'utf8');
  for (let minute = 1; minute <= 2; minute += 1) {
    await expect.poll(async () => (await log()).split('FATAL').length).toBeGreaterThan(3 * minute);
    vi.setSystemTime(Date.now() + 59_000);
  }
  await writeFile(data('promote'), '');
  process.kill(Number.parseInt(await readFile(data('postmaster.pid'), 'utf8'), 10), 'SIGUSR1');

  await (await started).stop();
});
