import { readFile } from 'node:fs/promises';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import {
  armor,
  createCleartextMessage,
  createMessage,
  decryptKey,
  enums,
  generateKey,
  type PrivateKey,
  readPrivateKeys,
  sign,
} from 'openpgp';

/** Signs the files of a release. The same key, text and time give the same bytes. */
export interface Signer {
  /** The public keys in armour, as `signed-by` of apt reads it. */
  readonly publicKey: string;
  /** A signature of the text, in armour, for a file of its own. */
  readonly detached: (text: string) => Promise<string>;
  /** The text with its signature below it. */
  readonly clear: (text: string) => Promise<string>;
}

/** Where the key of a release is. */
export interface KeySource {
  /** A file with a private key in armour, or with several: each signs, so that machines may trust any of them. */
  readonly file?: string | undefined;
  /** `RELEASE_KEY` is the key itself, `RELEASE_KEY_FILE` a file with it, `RELEASE_KEY_PASSPHRASE` unlocks either. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * The signer of a release at an instant (epoch seconds), usually that of the commit. A key that was made later signs with
 * the instant at which it was made, because no program accepts a signature that is older than its key. Throws
 * ConfigurationError.
 */
export async function openSigner({ file, env }: KeySource, time: number): Promise<Signer> {
  const keys = await Promise.all((await readKeys({ file, env })).map((key) => unlocked(key, env)));
  const date = new Date(Math.max(time * 1_000, ...keys.map((key) => key.getCreationTime().getTime())));
  for (const key of keys) await refuseExpired(key, date);
  const options = { signingKeys: keys, date, config: { nonDeterministicSignaturesViaNotation: false } };
  return {
    /* In one block: apt reads no other. */
    publicKey: armor(enums.armor.publicKey, Buffer.concat(keys.map((key) => key.toPublic().write()))),
    detached: async (text) => {
      const message = await createMessage({ binary: Buffer.from(text) });
      return String(await sign({ ...options, message, detached: true, format: 'armored' }));
    },
    clear: async (text) => {
      const message = await createCleartextMessage({ text });
      return sign({ ...options, message, format: 'armored' });
    },
  };
}

/** Throws a ConfigurationError for a key that apt would no longer accept. */
async function refuseExpired(key: PrivateKey, date: Date): Promise<void> {
  const expiry = await key.getExpirationTime();
  if (expiry === null || Number(expiry) > date.getTime()) return;
  const expected = `keys that are valid: the key ${key.getFingerprint()} expired on ${new Date(Number(expiry)).toISOString()}`;
  throw new ConfigurationError('RELEASE_KEY', '…', expected);
}

async function readKeys({ file, env }: KeySource): Promise<PrivateKey[]> {
  const path = file ?? env['RELEASE_KEY_FILE'];
  const text = path === undefined ? env['RELEASE_KEY'] : await readFile(path, 'utf8').catch(() => undefined);
  const expected = 'a private key in armour, as `npx pnpm release:key` makes it';
  const setting = file === undefined ? 'RELEASE_KEY_FILE' : '--key-file';
  if (!text) throw new ConfigurationError(setting, path, expected);
  return readEach(text).catch(() => {
    if (path === undefined) throw new ConfigurationError('RELEASE_KEY', '…', expected);
    throw new ConfigurationError(setting, path, expected);
  });
}

/** The keys of one or several blocks in armour. */
async function readEach(text: string): Promise<PrivateKey[]> {
  const blocks = text.split(/(?=-----BEGIN PGP)/).filter((block) => block.trim() !== '');
  return (await Promise.all(blocks.map((block) => readPrivateKeys({ armoredKeys: block })))).flat();
}

async function unlocked(privateKey: PrivateKey, env: NodeJS.ProcessEnv): Promise<PrivateKey> {
  if (privateKey.isDecrypted()) return privateKey;
  const passphrase = env['RELEASE_KEY_PASSPHRASE'];
  const expected = 'the passphrase of the key';
  if (passphrase === undefined) throw new ConfigurationError('RELEASE_KEY_PASSPHRASE', undefined, expected);
  return decryptKey({ privateKey, passphrase }).catch(() => {
    throw new ConfigurationError('RELEASE_KEY_PASSPHRASE', '…', expected);
  });
}

/** How long a key is valid (s). Machines must get the next one before. */
const validFor = 5 * 365 * 86_400;

/** A new private key in armour, which is valid for five years. Ed25519 in the form that all versions of apt since Debian 12 accept. */
export async function makeKey(passphrase: string | undefined, date = new Date()): Promise<string> {
  const { privateKey } = await generateKey({
    type: 'ecc',
    curve: 'ed25519Legacy',
    userIDs: [{ name: 'Visitor Counter releases' }],
    date,
    keyExpirationTime: validFor,
    ...(passphrase ? { passphrase } : {}),
    format: 'armored',
  });
  return privateKey;
}
