import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { type Kind, readSettings, type Settings } from '@visitor-counter/service/settings/setting';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { writeOnce } from '../embedded/claim.ts';
import { databaseUrl, dataFolder } from '../embedded/find-database.ts';
import type { Db } from '../sql/query-builder.ts';

/** A key of AES-256. */
export type SecretsKey = Buffer;

const keyBytes = 32;

/** Fewer different bytes do not occur in 32 random ones. */
const fewestDifferent = 16;

const randomKey: Kind<SecretsKey> = {
  expected: `${keyBytes} random bytes in base64, as \`openssl rand -base64 ${keyBytes}\` prints them`,
  parse: (text) => {
    const isHex = /^[0-9a-f]{64}$/i.test(text);
    if (!isHex && !/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined;
    const bytes = Buffer.from(text, isHex ? 'hex' : 'base64');
    return bytes.length === keyBytes && new Set(bytes).size >= fewestDifferent ? bytes : undefined;
  },
};

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
function missingKey(): ConfigurationError {
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

/** A stored secret cannot be decrypted. */
export class SealedSecretError extends Error {
  override readonly name = 'SealedSecretError';
  readonly code = 'sealed-secret';
}

/* A sealed text: the nonce (12 bytes), the encrypted text, and the tag (16). */
const nonceLength = 12;
const tagLength = 16;

/** Encrypts with AES-256-GCM under a nonce of its own. */
export function seal(key: SecretsKey, text: string): Buffer {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts what `seal` has returned. Throws a SealedSecretError if it was another key, or if the bytes were changed. */
export function unseal(key: SecretsKey, sealed: Buffer): string {
  try {
    const textEnd = sealed.length - tagLength;
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceLength));
    decipher.setAuthTag(sealed.subarray(textEnd));
    return decipher.update(sealed.subarray(nonceLength, textEnd), undefined, 'utf8') + decipher.final('utf8');
  } catch (cause) {
    throw new SealedSecretError('it is encrypted with another key than SECRETS_KEY, or damaged', { cause });
  }
}

/** Where the alerts of a company are POSTed to. The URL may contain a password or key, so it is as secret as the secret. */
export interface Webhook {
  readonly url: string;
  /** Signs the messages. */
  readonly secret: string;
}

const isWebhook = Compile(Type.Object({ url: Type.String(), secret: Type.String() }));

/** A webhook as it is stored: encrypted. Throws a ConfigurationError if there is no key. */
export function sealWebhook(key: SecretsKey | undefined, { url, secret }: Webhook): Buffer {
  if (key === undefined) throw missingKey();
  return seal(key, JSON.stringify({ url, secret }));
}

/** The webhook of what is stored. Throws a SealedSecretError if there is no key, or if it is another one. */
export function unsealWebhook(key: SecretsKey | undefined, sealed: Buffer): Webhook {
  if (key === undefined) throw new SealedSecretError('it is encrypted, and SECRETS_KEY is not set');
  return isWebhook.Parse(JSON.parse(unseal(key, sealed)));
}

/** How many enabled webhooks cannot be decrypted. */
export async function unreadableWebhooks(db: Db, key: SecretsKey | undefined): Promise<number> {
  const webhooks = await db
    .selectFrom('alertTarget')
    .select('sealed')
    .where('enabled', '=', true)
    .where('sealed', 'is not', null)
    .$narrowType<{ sealed: Buffer }>()
    .execute();
  return webhooks.filter(({ sealed }) => !isReadable(key, sealed)).length;
}

function isReadable(key: SecretsKey | undefined, sealed: Buffer): boolean {
  try {
    return key !== undefined && unseal(key, sealed) !== '';
  } catch {
    return false;
  }
}
