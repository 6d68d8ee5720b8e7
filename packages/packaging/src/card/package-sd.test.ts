import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseConfig } from '@visitor-counter/agent/config/parse-config';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { fileOf } from '../program/program-tree.ts';
import { bootFolder } from './boot-folder.ts';
import { readPublicKey, unitFileFor } from './card-files.ts';

const options = { server: 'https://counter.example', code: 'CODE', deb: 'agent.deb', unit: 'beams: {}\n' };

test('installs the package at the first boot and stores the code for the service that enrols', () => {
  const files = bootFolder(options);
  expect(Object.keys(files).sort()).toEqual([
    'counter/enrol.env',
    'counter/unit.yaml',
    'meta-data',
    'user-data',
  ]);
  expect(files['user-data']).toMatch(/^#cloud-config\n/);
  const commands = parse(files['user-data'] ?? '').runcmd.map((words: string[]) => words.join(' '));
  expect(commands.join('\n')).toMatch(/enrol\.env.*dpkg -i .*agent\.deb.*start --no-block counter-enrol/s);
  expect(commands.at(-1)).toContain('rm -f /boot/firmware/counter/enrol.env');
  expect(files['counter/enrol.env']).toBe('SERVER=https://counter.example\nCODE=CODE\nRELEASES=\n');
  expect(files['user-data']).not.toContain('CODE');
});

test('writes a wireless network and a key unchanged, with any characters', () => {
  const wifi = { ssid: 'Shop "1": #', password: "p'a:ss word", country: 'DE' };
  const files = bootFolder({ ...options, wifi, sshKey: 'ssh-ed25519 AAAA me\n' });
  const { wlan0 } = parse(files['network-config'] ?? '').network.wifis;
  expect(wlan0['access-points']).toEqual({ [wifi.ssid]: { password: wifi.password } });
  expect(parse(files['user-data'] ?? '').users[1].ssh_authorized_keys).toEqual(['ssh-ed25519 AAAA me']);
});

test('removes the password of the wireless network from the boot partition when the system has it', async () => {
  const folder = await temporaryFolder();
  const wifi = { ssid: 'Shop', password: 'hunter22', country: 'DE' };
  const files = bootFolder({ ...options, wifi });
  const [, , last] = parse(files['user-data'] ?? '').runcmd.at(-1);
  const inFolder = last.replaceAll('/boot/', `${folder}/boot/`).replaceAll('/etc/', `${folder}/etc/`);
  const network = join(folder, 'boot/firmware/network-config');
  await mkdir(join(folder, 'boot/firmware/counter'), { recursive: true });
  await mkdir(join(folder, 'etc/netplan'), { recursive: true });
  await writeFile(network, files['network-config'] ?? '');

  await promisify(execFile)('sh', ['-c', inFolder]);
  await expect(readFile(network, 'utf8')).resolves.toContain('hunter22');
  await writeFile(join(folder, 'etc/netplan/50-cloud-init.yaml'), files['network-config'] ?? '');
  await promisify(execFile)('sh', ['-c', inFolder]);
  await expect(readFile(network, 'utf8')).rejects.toThrow('ENOENT');
});

test.each([
  ['RELEASES=https://releases.example\r\n', 'key', true],
  ['RELEASES=\n', 'key', false],
  ['RELEASES=https://releases.example\n', '', false],
])(
  'adds the package source at the first boot if the card has address and key: %j, %j',
  async (line, releaseKey, added) => {
    const folder = await temporaryFolder();
    const { runcmd } = parse(bootFolder({ ...options, releaseKey })['user-data'] ?? '');
    const script: string = runcmd.find(([, , text = '']: string[]) => text.includes('sources.list.d'))[2];
    const files = {
      'boot/firmware/counter/enrol.env': line,
      'boot/firmware/counter/visitor-counter.asc': releaseKey,
    };
    for (const [path, content] of Object.entries(files)) {
      await mkdir(join(folder, path, '..'), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    const lists = join(folder, 'etc/apt/sources.list.d');
    await mkdir(lists, { recursive: true });
    const inFolder = script
      .replaceAll('/boot/firmware', `${folder}/boot/firmware`)
      .replaceAll('/etc/apt', `${folder}/etc/apt`);
    await promisify(execFile)('sh', ['-c', inFolder]);
    const list = await readFile(join(lists, 'visitor-counter.list'), 'utf8').catch(() => undefined);
    const key = `${folder}/etc/apt/keyrings/visitor-counter.asc`;
    expect(list).toBe(
      added ? `deb [signed-by=${key}] https://releases.example/apt stable main\n` : undefined,
    );
  },
);

test('has a default configuration that is complete after enrolment', async () => {
  const enrolled = 'server: mqtts://counter.example\nserial: CU-1\nsecret: abc\n';
  expect(parseConfig(`${await fileOf('unit.yaml')}${enrolled}`).doors).toHaveLength(1);
});

test('rejects a private key, and any other file without a public key, as --ssh-key', async () => {
  const folder = await temporaryFolder();
  const key = async (text: string) => {
    await writeFile(join(folder, 'key'), text);
    return readPublicKey(join(folder, 'key'));
  };
  for (const kind of ['OPENSSH PRIVATE KEY', 'RSA PRIVATE KEY', 'PRIVATE KEY', 'ENCRYPTED PRIVATE KEY']) {
    await expect(key(`-----BEGIN ${kind}-----\nAAAA\n-----END ${kind}-----\n`)).rejects.toThrow(/private/);
  }
  for (const text of ['', 'x', 'ssh-ed25519', '{"a":1}', 'ssh-ed25519 AAAAC3 me\nssh-rsa AAAAB3 you']) {
    await expect(key(text)).rejects.toThrow(/^--ssh-key is /);
  }
  expect(await key('ssh-ed25519 AAAAC3NzaC1lZDI1 me@here\n')).toBe('ssh-ed25519 AAAAC3NzaC1lZDI1 me@here');
  await expect(readPublicKey(join(folder, 'missing'))).rejects.toThrow(/can be read/);
});

test('rejects an invalid unit file as --unit, and names the problem', async () => {
  const choice = { path: 'x.yaml', serial: undefined, needsSerial: false };
  for (const text of ['', 'text', '- a', 'a: [', 'companies: []', '-----BEGIN CERTIFICATE-----', '\0\x01']) {
    expect(() => unitFileFor({ ...choice, text })).toThrow(/^--unit is "x.yaml": expected a unit file: YAML/);
  }
  expect(() => unitFileFor({ ...choice, text: 'beams: { source: gpio, a: { lin: GPIO17 } }' })).toThrow(
    /^--unit is "x.yaml".*lin/s,
  );
  const doors = 'doors: [{ serial: A, journal: a, beams: { source: replay, file: a } }]';
  expect(unitFileFor({ ...choice, text: doors })).toBe(doors);
});

test('writes the serial of a replacement or a PC into the file, and requires one of a PC', async () => {
  const text = await fileOf('unit.yaml');
  const choice = { path: 'usual', text };
  const replaced = unitFileFor({ ...choice, serial: 'CU-0001', needsSerial: false });
  expect(parse(replaced)).toMatchObject({ serial: 'CU-0001', beams: { source: 'gpio' } });
  expect(() => unitFileFor({ ...choice, serial: undefined, needsSerial: true })).toThrow(/^--serial/);
  expect(() => unitFileFor({ ...choice, serial: 'not a serial', needsSerial: true })).toThrow(/^--serial/);
  expect(unitFileFor({ ...choice, serial: undefined, needsSerial: false })).toBe(text);
});

test('sets the host name at the first boot from the serial number of the unit file', async () => {
  const folder = await temporaryFolder();
  const named = async (unit: string) => {
    await writeFile(join(folder, 'unit.yaml'), unit);
    await writeFile(join(folder, 'hosts'), '127.0.0.1 localhost\n127.0.1.1 raspberrypi\n');
    const [[, , script = ''] = []] = parse(bootFolder(options)['user-data'] ?? '').runcmd;
    const here = script
      .replaceAll('/boot/firmware/counter', folder)
      .replaceAll('/etc/hosts', join(folder, 'hosts'))
      .replace('/proc/device-tree/serial-number', join(folder, 'pi'));
    const stubs = `hostnamectl() { echo "$@"; }; systemctl() { :; }\n`;
    const { stdout } = await promisify(execFile)('sh', ['-c', stubs + here]);
    return [stdout.trim(), (await readFile(join(folder, 'hosts'), 'utf8')).split('\n')[1]];
  };
  await writeFile(join(folder, 'pi'), '10000000DEADbeef\0');
  expect(await named('beams: {}\n')).toEqual(['set-hostname counter-deadbeef', '127.0.1.1 counter-deadbeef']);
  expect(await named('serial: CU-0042\n')).toEqual([
    'set-hostname counter-cu0042',
    '127.0.1.1 counter-cu0042',
  ]);
});

test('removes the code as the last step of enrolment, since systemd then stops the service', async () => {
  const service = await fileOf('counter-enrol.service');
  const done = [...service.matchAll(/^Exec\w+=(.*)$/gm)].map(([, command]) => command);
  expect(done.at(-1)).toBe('/bin/rm /etc/visitor-counter/enrol.env');
  expect(done.at(-2)).toMatch(/^\/usr\/bin\/counter-agent enrol /);
});
