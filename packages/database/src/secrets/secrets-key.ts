import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { type Kind, readSettings, type Settings } from '@visitor-counter/service/settings/setting';
import { writeOnce } from '../embedded/claim.ts';
import { databaseUrl, dataFolder } from '../embedded/find-database.ts';

/** A key of AES-256. */
export interface SecretsKey {
  readonly bytes: Buffer;
  /** Identifies the key without revealing it: 8 bytes of the SHA-256 of it. */
  readonly id: Buffer;
}

const keyBytes = 32;

/** Fewer different bytes do not occur in 32 random ones. */
const fewestDifferent = 16;

const randomKey: Kind<SecretsKey> = {
  expected: `${keyBytes} random bytes in base64, as \`openssl rand -base64 ${keyBytes}\` prints them`,
  parse: (text) => {
    const isHex = /^[0-9a-f]{64}$/i.test(text);
    if (!isHex && !/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined;
    const bytes = Buffer.from(text, isHex ? 'hex' : 'base64');
    return bytes.length === keyBytes && new Set(bytes).size >= fewestDifferent ? keyOf(bytes) : undefined;
  },
};

function keyOf(bytes: Buffer): SecretsKey {
  return {
    bytes,
    id: createHash('sha256').update('visitor-counter key').update(bytes).digest().subarray(0, 8),
  };
}

export const secretsSettings = {
  SECRETS_KEY: {
    kind: randomKey,
    isSecret: true,
    otherwise:
      'with the embedded PostgreSQL, the file `secrets.key` in `DATA_DIR`, which is made when it is needed',
    does: 'The key that encrypts the webhooks in the database. See [alerts](operators/alerts.md#the-key-of-webhooks).',
  },
} satisfies Settings;

/**
 * The key of `SECRETS_KEY`. Without it, the embedded database uses the key in its data folder, which is made if it is missing.
 * Undefined if there is none. Throws a ConfigurationError for a text that is no key.
 */
export async function readSecretsKey(env: Environment): Promise<SecretsKey | undefined> {
  const key = givenKey(env);
  if (key !== undefined || databaseUrl(env) !== undefined) return key;
  return keptKey(dataFolder(env));
}

/** The key that the environment contains. Throws a ConfigurationError for a text that is no key. */
export function givenKey(env: Environment): SecretsKey | undefined {
  return readSettings(secretsSettings, env).SECRETS_KEY;
}

/** For an action that needs a key. */
export function missingKey(): ConfigurationError {
  return new ConfigurationError(
    'SECRETS_KEY',
    undefined,
    `${randomKey.expected}. It encrypts the webhooks in the database`,
  );
}

/** The file with the key of an embedded database. */
export function secretsKeyFile(folder: string): string {
  return resolve(folder, 'secrets.key');
}

/** The key in the data folder of an embedded database, made if it is missing. Several processes may call this. */
export async function keptKey(folder: string): Promise<SecretsKey> {
  const file = secretsKeyFile(folder);
  const text = await readFile(file, 'utf8').catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    await writeOnce(file, `${randomBytes(keyBytes).toString('base64')}\n`);
    return readFile(file, 'utf8');
  });
  const key = randomKey.parse(text.trim());
  if (key === undefined) throw new ConfigurationError(file, '…', randomKey.expected);
  return key;
}
