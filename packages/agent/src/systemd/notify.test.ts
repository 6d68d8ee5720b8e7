import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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

test('systemd hears of the start, then again and again that the event loop turns, then of the end', async () => {
  const env = { NOTIFY_SOCKET: '/run/notify', WATCHDOG_USEC: '60000' };
  const stop = await notifySystemd(env, fail);
  await vi.waitFor(async () =>
    expect(await readFile(said, 'utf8')).toMatch(/^--ready .*\nWATCHDOG=1\nWATCHDOG=1\n/),
  );
  stop();
  await vi.waitFor(async () => expect(await readFile(said, 'utf8')).toMatch(/\nSTOPPING=1\n/));
});

test('without systemd nothing is said', async () => {
  const stop = await notifySystemd({}, fail);
  stop();
  await expect(readFile(said)).rejects.toThrow('ENOENT');
});
