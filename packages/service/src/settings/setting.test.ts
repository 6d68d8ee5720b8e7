import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { host, oneOf, port, textLike, url, wholeNumber } from './kinds.ts';
import { readSettings, type Settings } from './setting.ts';

const table = {
  HOST: { kind: host, default: '127.0.0.1', does: 'An address.' },
  PORT: { kind: port, does: 'A port.' },
  LIMIT: { kind: wholeNumber(1, 10), default: '3', does: 'A limit.' },
  MODE: { kind: oneOf('fast', 'safe'), default: 'safe', does: 'A mode.' },
  BASE_URL: { kind: url('ftp://host', ['ftp:']), isSecret: true, does: 'A URL.' },
  PASSWORD: { kind: textLike('a text', () => true), isSecret: true, does: 'A password.' },
} satisfies Settings;

test('returns typed values, and defaults for variables that are not set or empty', () => {
  const values: { LIMIT: number; PORT: number | undefined; MODE: 'fast' | 'safe' } = readSettings(table, {
    LIMIT: '10',
    MODE: '',
    PASSWORD: 'secret',
  });

  expect(values).toEqual({
    HOST: '127.0.0.1',
    PORT: undefined,
    LIMIT: 10,
    MODE: 'safe',
    BASE_URL: undefined,
    PASSWORD: 'secret',
  });
});

test.each([
  [{ PORT: '80a0' }, 'PORT is "80a0": expected a port, 0 to 65535'],
  [{ PORT: '65536' }, 'PORT is "65536": expected a port, 0 to 65535'],
  [{ PORT: '-1' }, 'PORT is "-1": expected a port'],
  [{ LIMIT: '0' }, 'LIMIT is "0": expected a whole number, 1 to 10'],
  [{ LIMIT: '1e1' }, 'LIMIT is "1e1": expected a whole number'],
  [{ HOST: 'a b' }, 'HOST is "a b": expected a host name or address'],
  [{ MODE: 'Fast' }, 'MODE is "Fast": expected one of fast, safe'],
  [{ BASE_URL: 'http://user:hidden@host' }, 'BASE_URL is "…": expected a URL such as ftp://host'],
])('refuses %j by name, with the value unless it may be secret', (env, message) => {
  expect(() => readSettings(table, env)).toThrow(message);
});

test('reads a secret from the file that a variable names, and refuses a file that is missing, empty or contradicted', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-settings-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [full, empty, missing] = ['full', 'empty', 'missing'].map((name) => join(folder, name));
  await writeFile(full ?? '', '  hunter2\n');
  await writeFile(empty ?? '', '\n');

  expect(readSettings(table, { PASSWORD_FILE: full })).toMatchObject({ PASSWORD: 'hunter2' });
  expect(() => readSettings(table, { PASSWORD_FILE: full, PASSWORD: 'x' })).toThrow(
    'only one of PASSWORD and PASSWORD_FILE',
  );
  expect(() => readSettings(table, { PASSWORD_FILE: empty })).toThrow('a file that is not empty');
  expect(() => readSettings(table, { PASSWORD_FILE: missing })).toThrow('a file that can be read (ENOENT');
  expect(readSettings(table, { PORT_FILE: missing })).toMatchObject({ PORT: undefined });
});
