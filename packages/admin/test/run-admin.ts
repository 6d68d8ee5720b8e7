import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect } from 'vitest';
import { run } from '../src/program.ts';

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The key of webhooks, where commands are not run without one. */
export const SECRETS_KEY = randomBytes(32).toString('base64');

/** Runs commands in this process, where `url` is the database, with these further settings. */
export function adminOn(url: string, env: Environment = {}) {
  return async (args: readonly string[], input = ''): Promise<Ran> => {
    const out: string[] = [];
    const err: string[] = [];
    const code = await run(args, {
      env: { DATABASE_URL: url, OPERATOR: 'anna', SECRETS_KEY, ...env },
      folder: '/nonexistent',
      input: Readable.from([input]),
      print: (text) => out.push(text),
      printError: (text) => err.push(text),
    });
    return { code, out: out.join('\n'), err: err.join('\n') };
  };
}

/** A database for the current test, with what a topology file has, and commands on it. */
export async function databaseWith(file: string) {
  const url = await testDatabase();
  const run = adminOn(url);
  expect(await run(['apply', '-'], file)).toMatchObject({ code: 0, err: '' });
  return { url, run, query: seed(url).query };
}

/** A company with two stores, the first of which has a device. */
export const acmeTopology = `
companies:
  - name: Acme
    stores: [{ sid: S-1, name: One, timeZone: UTC }, { sid: S-2, name: Two, timeZone: UTC }]
    devices: [{ serial: CU-1, store: S-1 }]
`;
