import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '@visitor-counter/agent/config/parse-config';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { fileOf } from './agent-tree.ts';
import { bootFolder } from './boot-folder.ts';
import { packageSd } from './package-sd.ts';

const options = { server: 'https://counter.example', code: 'CODE', deb: 'agent.deb', unit: 'beams: {}\n' };

test('the first boot installs the package and leaves the code to the service that enrols', () => {
  const files = bootFolder(options);
  expect(Object.keys(files).sort()).toEqual([
    ...['counter/enrol.env', 'counter/unit.yaml', 'meta-data', 'user-data'],
  ]);
  expect(files['user-data']).toMatch(/^#cloud-config\n/);
  const commands = parse(files['user-data'] ?? '').runcmd.map((words: string[]) => words.join(' '));
  expect(commands.join('\n')).toMatch(/enrol\.env.*dpkg -i .*agent\.deb.*start --no-block counter-enrol/s);
  expect(commands.at(-1)).toBe('rm -f /boot/firmware/counter/enrol.env');
  expect(files['counter/enrol.env']).toBe('SERVER=https://counter.example\nCODE=CODE\n');
  expect(files['user-data']).not.toContain('CODE');
});

test('a wireless network and a key are taken as they are, whatever characters are in them', () => {
  const wifi = { ssid: 'Shop "1": #', password: "p'a:ss word", country: 'DE' };
  const files = bootFolder({ ...options, wifi, sshKey: 'ssh-ed25519 AAAA me\n' });
  const { wlan0 } = parse(files['network-config'] ?? '').network.wifis;
  expect(wlan0['access-points']).toEqual({ [wifi.ssid]: { password: wifi.password } });
  expect(parse(files['user-data'] ?? '').users[1].ssh_authorized_keys).toEqual(['ssh-ed25519 AAAA me']);
});

test('a card with another content is another instance, for which everything runs anew', () => {
  expect(bootFolder(options)['meta-data']).not.toBe(bootFolder({ ...options, code: 'X' })['meta-data']);
});

test('the usual configuration is complete once it has enrolled', async () => {
  const enrolled = 'server: mqtts://counter.example\nserial: CU-1\nsecret: abc\n';
  expect(parseConfig(`${await fileOf('unit.yaml')}${enrolled}`, {}).doors).toHaveLength(1);
});

test('an option that cannot be used is named before anything is built', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'counter-sd-'));
  await writeFile(join(folder, 'key'), 'x');
  const usual = {
    architecture: 'arm64' as const,
    out: folder,
    server: 'https://counter.example',
    code: 'nonsense',
    country: 'DE',
  };
  await expect(packageSd(usual)).rejects.toThrow('--code');
  await expect(packageSd({ ...usual, server: 'counter.example' })).rejects.toThrow('--server');
  await rm(folder, { recursive: true });
});

test('enrolling removes the code last: systemd runs nothing more of the service without its file', async () => {
  const service = await fileOf('counter-enrol.service');
  const done = [...service.matchAll(/^Exec\w+=(.*)$/gm)].map(([, command]) => command);
  expect(done.at(-1)).toBe('/bin/rm /etc/visitor-counter/enrol.env');
  expect(done.at(-2)).toMatch(/^\/usr\/bin\/counter-agent enrol /);
});
