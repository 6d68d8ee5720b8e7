import { readFile } from 'node:fs/promises';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import {
  createCleartextMessage,
  createMessage,
  decryptKey,
  generateKey,
  type PrivateKey,
  readPrivateKey,
  sign,
} from 'openpgp';

/** Signs the files of a release. The same key, text and time give the same bytes. */
export interface Signer {
  /** The public key in armour, as `signed-by` of apt reads it. */
  readonly publicKey: string;
  /** A signature of the text, in armour, for a file of its own. */
  readonly detached: (text: string) => Promise<string>;
  /** The text with its signature below it. */
  readonly clear: (text: string) => Promise<string>;
}

/** Where the key of a release is. */
export interface KeySource {
  /** A file with a private key in armour. */
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
  const key = await unlocked(await readKey({ file, env }), env);
  const date = new Date(Math.max(time * 1_000, key.getCreationTime().getTime()));
  const options = { signingKeys: key, date, config: { nonDeterministicSignaturesViaNotation: false } };
  return {
    publicKey: key.toPublic().armor(),
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

async function readKey({ file, env }: KeySource): Promise<PrivateKey> {
  const path = file ?? env['RELEASE_KEY_FILE'];
  const text = path === undefined ? env['RELEASE_KEY'] : await readFile(path, 'utf8').catch(() => undefined);
  const expected = 'a private key in armour, as `npx pnpm release:key` makes it';
  const setting = file === undefined ? 'RELEASE_KEY_FILE' : '--key-file';
  if (!text) throw new ConfigurationError(setting, path, expected);
  return readPrivateKey({ armoredKey: text }).catch(() => {
    if (path === undefined) throw new ConfigurationError('RELEASE_KEY', '…', expected);
    throw new ConfigurationError(setting, path, expected);
  });
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

/** A new private key in armour. Ed25519 in the form that all versions of apt since Debian 12 accept. */
export async function makeKey(passphrase: string | undefined, date = new Date()): Promise<string> {
  const { privateKey } = await generateKey({
    type: 'ecc',
    curve: 'ed25519Legacy',
    userIDs: [{ name: 'Visitor Counter releases' }],
    date,
    ...(passphrase ? { passphrase } : {}),
    format: 'armored',
  });
  return privateKey;
}
