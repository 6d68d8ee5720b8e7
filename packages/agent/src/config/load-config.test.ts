import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, test } from 'vitest';
import { loadConfig } from './load-config.ts';

const account = 'serial: CU-1\nsecret: s\nserver: mqtt://a:1883\n';
const beams = 'beams: { source: replay, file: door.csv }\n';
const state = { COUNTER_STATE: '/var/lib/counter-agent' };

async function load(text: string, env: Record<string, string> = {}) {
  const folder = await temporaryFolder();
  const file = join(folder, 'unit.yaml');
  await writeFile(file, text);
  const { doors, ca } = await loadConfig(file, env);
  return { folder, ca, journals: doors.map(({ journal }) => journal) };
}

test('resolves a relative or missing journal from the folder of journals, or else from that of the file', async () => {
  const silent = await load(account + beams);
  expect(silent.journals).toEqual([join(silent.folder, 'journal')]);
  const { journals } = await load(account + beams, state);
  expect(journals).toEqual(['/var/lib/counter-agent/journal']);
  const named = await load(`${account}journal: front\n${beams}`, state);
  expect(named.journals).toEqual(['/var/lib/counter-agent/front']);
  const absolute = await load(`${account}journal: /data/front\n${beams}`, state);
  expect(absolute.journals).toEqual(['/data/front']);
});

test('each of several doors without a configured journal has its own', async () => {
  const door = (serial: string) => `  - { serial: ${serial}, secret: s, ${beams.trim()} }\n`;
  const { journals } = await load(`server: mqtt://a:1883\ndoors:\n${door('CU-1')}${door('CU-2')}`, state);
  expect(journals).toEqual(['/var/lib/counter-agent/journal/CU-1', '/var/lib/counter-agent/journal/CU-2']);
});

test('reads certificates next to the copy of the file that systemd passes', async () => {
  const env = { COUNTER_CONFIG: '/etc/visitor-counter/unit.yaml' };
  const copied = await load(`${account}ca: /etc/visitor-counter/ca.pem\n${beams}`, env);
  expect(copied.ca).toBe(join(copied.folder, 'ca.pem'));
  expect((await load(`${account}ca: /etc/ssl/ca.pem\n${beams}`, env)).ca).toBe('/etc/ssl/ca.pem');
  const relative = await load(`${account}ca: ca.pem\n${beams}`, env);
  expect(relative.ca).toBe(join(relative.folder, 'ca.pem'));
});
