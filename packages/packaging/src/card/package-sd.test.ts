import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { parseConfig } from '@visitor-counter/agent/config/parse-config';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { bootFolder, cardFile } from './boot-folder.ts';
import { readPublicKey, unitFileFor } from './card-files.ts';

const options = { server: 'https://counter.example', code: 'CODE', deb: 'agent.deb', unit: 'beams: {}\n' };

/** Runs `first-boot` of a card in a folder instead of `/`; returns the commands that change the system. */
async function firstBoot(
  card: Readonly<Record<string, string>>,
): Promise<{ root: string; commands: string[] }> {
  const root = await temporaryFolder();
  const given = {
    'etc/hosts': '127.0.0.1 localhost\n127.0.1.1 raspberrypi\n',
    'etc/apt/sources.list.d/debian.list': '',
    'proc/device-tree/serial-number': '10000000DEADbeef\0',
  };
  const onCard = Object.entries(card).map(([path, content]) => [`boot/firmware/${path}`, content] as const);
  for (const [path, content] of [...Object.entries(given), ...onCard]) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  const script = await readFile(join(root, 'boot/firmware/counter/first-boot'), 'utf8');
  const inRoot = script.replaceAll(/(?<=[ "'=<>])\/(boot|etc|home|proc)\//g, `${root}/$1/`);
  const stubs = ['dpkg', 'systemctl', 'hostnamectl', 'chown'].map(
    (name) => `${name}() { echo ${name} "$@"; }`,
  );
  /* Its users are not those of this machine. */
  const install = 'install() { command install $(echo "$@" | sed "s/-[og] installer//g"); }';
  const { stdout } = await promisify(execFile)('sh', ['-c', [...stubs, install, inRoot].join('\n')]);
  return { root, commands: stdout.replaceAll(root, '').trim().split('\n') };
}

function inFolder(root: string, path: string): Promise<string> {
  return readFile(join(root, path), 'utf8');
}

test('installs the package at the first boot and stores the code for the service that enrols', async () => {
  const files = await bootFolder(options);
  expect(Object.keys(files).sort()).toEqual([
    'counter/enrol.env',
    'counter/first-boot',
    'counter/unit.yaml',
    'meta-data',
    'user-data',
  ]);
  expect(files['user-data']).toMatch(/^#cloud-config\n/);
  expect(parse(files['user-data'] ?? '').runcmd).toEqual([['sh', '/boot/firmware/counter/first-boot']]);
  const enrolment = files['counter/enrol.env'];
  expect(enrolment?.replaceAll(/^#.*\n/gm, '')).toBe(
    'SERVER=https://counter.example\nCODE=CODE\nRELEASES=\n',
  );

  const { root, commands } = await firstBoot(files);
  expect(commands.slice(-2)).toEqual([
    'dpkg -i /boot/firmware/counter/agent.deb',
    'systemctl start --no-block counter-enrol.service',
  ]);
  expect(commands.join('\n')).not.toContain('ssh');
  expect(await inFolder(root, 'etc/visitor-counter/enrol.env')).toBe(enrolment);
  expect(await inFolder(root, 'etc/visitor-counter/unit.yaml')).toBe('beams: {}\n');
  await expect(inFolder(root, 'boot/firmware/counter/enrol.env')).rejects.toThrow('ENOENT');
});

test('writes a wireless network unchanged, with any characters', async () => {
  const wifi = { ssid: 'Shop "1": #', password: "p'a:ss word", country: 'DE' };
  const files = await bootFolder({ ...options, wifi });
  const { wlan0 } = parse(files['network-config'] ?? '').network.wifis;
  expect(wlan0['access-points']).toEqual({ [wifi.ssid]: { password: wifi.password } });
});

test('allows ssh with the public key of the card, and with nothing else', async () => {
  const authorized = 'home/installer/.ssh/authorized_keys';
  const { root, commands } = await firstBoot(await bootFolder({ ...options, sshKey: 'ssh-ed25519 AAAA me' }));
  expect(await inFolder(root, authorized)).toBe('ssh-ed25519 AAAA me\n');
  expect(commands).toContain('systemctl enable --now ssh');

  const secret = { 'counter/ssh.pub': '-----BEGIN OPENSSH PRIVATE KEY-----\n' };
  const other = await firstBoot({ ...(await bootFolder(options)), ...secret });
  await expect(inFolder(other.root, authorized)).rejects.toThrow('ENOENT');
  expect(other.commands).not.toContain('systemctl enable --now ssh');
});

test('removes the password of the wireless network from the boot partition when the system has it', async () => {
  const wifi = { ssid: 'Shop', password: 'hunter22', country: 'DE' };
  const files = await bootFolder({ ...options, wifi });
  const { root } = await firstBoot(files);
  expect(await inFolder(root, 'boot/firmware/network-config')).toContain('hunter22');

  const copied = '../../etc/netplan/50-cloud-init.yaml';
  const other = await firstBoot({ ...files, [copied]: files['network-config'] ?? '' });
  await expect(inFolder(other.root, 'boot/firmware/network-config')).rejects.toThrow('ENOENT');
});

test.each([
  ['RELEASES=https://releases.example\r\n', 'key', true],
  ['RELEASES=\n', 'key', false],
  ['RELEASES=https://releases.example\n', '', false],
])(
  'adds the package source at the first boot if the card has address and key: %j, %j',
  async (line, releaseKey, added) => {
    const files = await bootFolder({ ...options, releaseKey });
    const { root } = await firstBoot({ ...files, 'counter/enrol.env': line });
    const list = await inFolder(root, 'etc/apt/sources.list.d/visitor-counter.list').catch(() => undefined);
    const key = `${root}/etc/apt/keyrings/visitor-counter.asc`;
    expect(list).toBe(
      added ? `deb [signed-by=${key}] https://releases.example/apt stable main\n` : undefined,
    );
  },
);

test('has a default configuration that is complete after enrolment', async () => {
  const enrolled = 'server: mqtts://counter.example\nserial: CU-1\nsecret: abc\n';
  expect(parseConfig(`${await cardFile('unit.yaml')}${enrolled}`).doors).toHaveLength(1);
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
  const text = await cardFile('unit.yaml');
  const choice = { path: 'usual', text };
  const replaced = unitFileFor({ ...choice, serial: 'CU-0001', needsSerial: false });
  expect(parse(replaced)).toMatchObject({ serial: 'CU-0001', beams: { source: 'gpio' } });
  expect(() => unitFileFor({ ...choice, serial: undefined, needsSerial: true })).toThrow(/^--serial/);
  expect(() => unitFileFor({ ...choice, serial: 'not a serial', needsSerial: true })).toThrow(/^--serial/);
  expect(unitFileFor({ ...choice, serial: undefined, needsSerial: false })).toBe(text);
});

test('sets the host name at the first boot from the serial number of the unit file, or of the Raspberry Pi', async () => {
  const named = async (unit: string) => {
    const { root, commands } = await firstBoot(await bootFolder({ ...options, unit }));
    return [commands[0], (await inFolder(root, 'etc/hosts')).split('\n')[1]];
  };
  expect(await named('beams: {}\n')).toEqual([
    'hostnamectl set-hostname counter-deadbeef',
    '127.0.1.1 counter-deadbeef',
  ]);
  expect(await named('serial: CU-0042\n')).toEqual([
    'hostnamectl set-hostname counter-cu0042',
    '127.0.1.1 counter-cu0042',
  ]);
});

test('removes the code as the last step of enrolment, since systemd then stops the service', async () => {
  const path = '../../files/counter-agent/usr/lib/systemd/system/counter-enrol.service';
  const service = await readFile(new URL(path, import.meta.url), 'utf8');
  const done = [...service.matchAll(/^Exec\w+=(.*)$/gm)].map(([, command]) => command);
  expect(done.at(-1)).toBe('/bin/rm /etc/visitor-counter/enrol.env');
  expect(done.at(-2)).toMatch(/^\/usr\/bin\/counter-agent enrol /);
});
