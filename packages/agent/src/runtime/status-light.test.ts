import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLogger } from '@visitor-counter/service/logger';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, test, vi } from 'vitest';
import { beam, doorView } from '../../test/door-view.ts';
import { fakeGpiod } from '../../test/fake-gpiod.ts';
import type { DoorView } from '../local/door-view.ts';
import { blinkUntil, type LightState, lightPatterns, lightState } from './status-light.ts';

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

const good: DoorView = { ...doorView, delivery: { ...doorView.delivery, connected: true } };
const offline: DoorView = { ...good, delivery: { ...good.delivery, connected: false } };
const full: DoorView = { ...good, delivery: { ...good.delivery, storage: 'the disk is full' } };
const blocked: DoorView = { ...good, beams: { a: { ...beam, state: 'blocked' } } };

test.each([
  ['counting', [good], true],
  ['fault', [good, full], true],
  ['fault', [good, { ...blocked, problem: 'no chip' }], true],
  ['blocked', [offline, blocked], true],
  ['blocked', [{ ...good, flickering: 'a' }], true],
  ['no-server', [good, offline], true],
  ['starting', [good, offline], false],
  ['no-server', [{ ...offline, delivery: { ...offline.delivery, failure: 'refused' } }], false],
  ['starting', [{ ...good, problem: 'not read yet' }], false],
] as const)('shows the most urgent state of all doors: %s', (state, doors, isStartOver) => {
  expect(lightState(doors, isStartOver)).toBe(state);
});

test('every pattern can be repeated, and no two are alike', () => {
  const patterns = Object.values(lightPatterns);
  expect(patterns.every((periods) => periods.length % 2 === 0)).toBe(true);
  expect(new Set(patterns.map((periods) => periods.join())).size).toBe(patterns.length);
});
