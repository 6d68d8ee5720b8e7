import { chmod, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { notifySystemd } from './notify.ts';

let folder: string;
let said: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'counter-notify-'));
  said = join(folder, 'said');
  await writeFile(join(folder, 'systemd-notify'), `#!/bin/sh\necho "$@" >> ${said}\n`);
  await chmod(join(folder, 'systemd-notify'), 0o755);
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

const fail = (error: unknown) => {
  throw error;
};

test('notifies systemd of the start, then periodically that the event loop runs, then of the end', async () => {
  const env = { NOTIFY_SOCKET: '/run/notify', WATCHDOG_USEC: '60000' };
  const { stop } = await notifySystemd(env, fail);
  await expect.poll(() => readFile(said, 'utf8')).toMatch(/^READY=1\nWATCHDOG=1\nWATCHDOG=1\n/);
  stop();
  await expect.poll(() => readFile(said, 'utf8')).toMatch(/\nSTOPPING=1\n/);
});

/** As systemd hands `descriptor` to process `pid` in addition to others. */
function handed(descriptor: number, pid = process.pid) {
  const others = Array.from({ length: descriptor - 3 }, () => 'other');
  const env = { NOTIFY_SOCKET: '/run/notify', WATCHDOG_USEC: '60000' };
  return { ...env, LISTEN_PID: `${pid}`, LISTEN_FDNAMES: [...others, 'notify'].join(':') };
}

test('starts systemd-notify if the socket cannot be written or belongs to another process', async () => {
  const silent = await open('/dev/null', 'r');
  const stops = [
    await notifySystemd(handed(silent.fd), fail),
    await notifySystemd(handed(silent.fd, 1), fail),
  ];
  const spoken = async (word: RegExp) => (await readFile(said, 'utf8')).match(word);
  expect(await spoken(/READY=1/g)).toHaveLength(2);
  for (const { stop } of stops) stop();
  await expect.poll(() => spoken(/STOPPING=1/g)).toHaveLength(2);
  await silent.close();
});

test('sends nothing without systemd', async () => {
  const { stop } = await notifySystemd({}, fail);
  stop();
  await expect(readFile(said)).rejects.toThrow('ENOENT');
});
