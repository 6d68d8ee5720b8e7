import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { type Kind, readSettings, type Settings } from '@visitor-counter/service/settings/setting';
import { type Kysely, sql } from 'kysely';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { writeOnce } from '../embedded/claim.ts';
import { databaseUrl, dataFolder } from '../embedded/find-database.ts';
import type { DB } from '../sql/schema.ts';

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

/** A stored secret cannot be decrypted; the message says which key is missing. */
export class SealedSecretError extends Error {
  override readonly name = 'SealedSecretError';
  readonly code = 'sealed-secret';
}

/* A sealed text: the version (1 byte), the id of its key (8), the nonce (12), the encrypted text, and the tag (16). */
const version = Buffer.from([1]);
const nonceAt = 9;
const textAt = 21;
const tagLength = 16;

/** Encrypts with AES-256-GCM under a nonce of its own. The version and the id of the key are authenticated, too. */
export function seal(key: SecretsKey, text: string): Buffer {
  const nonce = randomBytes(textAt - nonceAt);
  const head = sealedBy(key);
  const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce).setAAD(head);
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([head, nonce, encrypted, cipher.getAuthTag()]);
}

/** Decrypts what `seal` has returned. Throws a SealedSecretError if it was another key, or if the bytes were changed. */
export function unseal(key: SecretsKey, sealed: Buffer): string {
  const head = sealed.subarray(0, nonceAt);
  if (!head.equals(sealedBy(key))) {
    const problem = `is encrypted with the key ${keyName(sealed.subarray(1, nonceAt))}`;
    throw new SealedSecretError(`it ${problem}, and SECRETS_KEY is ${keyName(key.id)}`);
  }
  try {
    const textEnd = sealed.length - tagLength;
    const decipher = createDecipheriv('aes-256-gcm', key.bytes, sealed.subarray(nonceAt, textAt))
      .setAAD(head)
      .setAuthTag(sealed.subarray(textEnd));
    return decipher.update(sealed.subarray(textAt, textEnd), undefined, 'utf8') + decipher.final('utf8');
  } catch (cause) {
    throw new SealedSecretError('it is damaged: it is not what was encrypted', { cause });
  }
}

/** What a text begins with that this key has sealed. */
function sealedBy({ id }: SecretsKey): Buffer {
  return Buffer.concat([version, id]);
}

/** The name of a key in messages. */
function keyName(id: Uint8Array): string {
  return Buffer.from(id).toString('hex');
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

/** How many enabled webhooks are encrypted with another key. */
export async function unreadableWebhooks(db: Kysely<DB>, key: SecretsKey | undefined): Promise<number> {
  const { count } = await db
    .selectFrom('alertTarget')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('enabled', '=', true)
    .where('sealed', 'is not', null)
    .where(sql<Buffer>`substring(sealed from 1 for 9)`, 'is distinct from', key ? sealedBy(key) : null)
    .executeTakeFirstOrThrow();
  return count;
}
