import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLogger } from '@visitor-counter/service/logger';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fakeGpiod } from '../../test/fake-gpiod.ts';
import { blinkUntil, type LightState } from './status-light.ts';

test('blinks each state with one process, which ends when the state changes', async () => {
  const folder = await temporaryFolder();
  const tools = await fakeGpiod(folder);
  vi.stubEnv('PATH', tools.env['PATH']);
  let log = '';
  const write = (line: string) => {
    log += line;
  };
  const stopping = new AbortController();
  let state: LightState = 'counting';
  const line = { line: 'GPIO22', activeLow: true };
  const ended = blinkUntil(stopping.signal, line, () => state, createLogger('light', {}, { write }));
  onTestFinished(async () => {
    stopping.abort();
    await ended;
    await tools.close();
    vi.unstubAllEnvs();
  });
  const shown = () => readFile(join(folder, 'light'), 'utf8');
  await expect.poll(shown).toBe('-l -t 2900,100 GPIO22=1\n');
  state = 'no-server';
  await expect.poll(shown).toMatch(/\n-l -t 150,1850 GPIO22=1\n$/);
  stopping.abort();
  await ended;
  expect(log).toBe('');
});
