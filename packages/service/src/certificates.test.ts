import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { readAuthorities } from './certificates.ts';
import { ConfigurationError } from './settings/configuration-error.ts';

async function fileWith(content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-ca-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'ca.pem');
  await writeFile(file, content);
  return file;
}

const [one = '', two = ''] = [...rootCertificates].sort((a, b) => a.length - b.length);

test('reads one certificate or several, with text and other line ends between them', async () => {
  for (const content of [one, `${one}\n`, `${one}\n${two}`, `Ours:\n${one}\n---\nTheirs:\n${two}\n---\n`]) {
    expect(await readAuthorities('X_CA', await fileWith(content))).toEqual(Buffer.from(content));
  }
  const windows = `${one}\n${two}\n`.replaceAll('\n', '\r\n');
  expect(await readAuthorities('X_CA', await fileWith(windows))).toEqual(Buffer.from(windows));
});

test('refuses a file that is truncated within a certificate', async () => {
  const whole = `${one}\n${two}`;
  const begin = '-----BEGIN CERTIFICATE-----';
  const file = await fileWith('');

  for (let length = 0; length < whole.length; length += 1) {
    /* Each place around the border of the two, and some of the others. */
    if (Math.abs(length - one.length) > 40 && length % 16 > 0) continue;
    await writeFile(file, whole.slice(0, length));
    const torn = await readAuthorities('X_CA', file).catch((error) => error);
    const isBetween = length >= one.length && length < one.length + 1 + begin.length;
    expect([length, torn instanceof ConfigurationError]).toEqual([length, !isBetween]);
  }
});

test('names the setting, the file and what was expected', async () => {
  const file = await fileWith(`${one}\n${two.replace(/^M/m, '!')}`);

  await expect(readAuthorities('X_CA', file)).rejects.toThrow(
    `X_CA is "${file}": expected one or more certificates in PEM (one cannot be read)`,
  );
  await expect(readAuthorities('X_CA', await fileWith('garbage'))).rejects.toThrow('(there is none)');
  await expect(readAuthorities('X_CA', `${file}.not`)).rejects.toThrow('a file that can be read (ENOENT: ');
});
