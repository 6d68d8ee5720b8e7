import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SecretsKey, SecretsKeys } from './secrets-key.ts';

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
export function seal({ current }: SecretsKeys, text: string): Buffer {
  const nonce = randomBytes(textAt - nonceAt);
  const head = sealedBy(current);
  const cipher = createCipheriv('aes-256-gcm', current.bytes, nonce).setAAD(head);
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([head, nonce, encrypted, cipher.getAuthTag()]);
}

/** Decrypts what `seal` has returned. Throws a SealedSecretError if it was another key, or if the bytes were changed. */
export function unseal({ current, previous }: SecretsKeys, sealed: Buffer): string {
  const key = [current, previous].find((one) => one !== undefined && isSealedBy(one, sealed));
  if (key === undefined) {
    const problem = `is encrypted with the key ${keyName(sealed.subarray(1, nonceAt))}`;
    throw new SealedSecretError(`it ${problem}, and SECRETS_KEY is ${keyName(current.id)}`);
  }
  try {
    const textEnd = sealed.length - tagLength;
    const decipher = createDecipheriv('aes-256-gcm', key.bytes, sealed.subarray(nonceAt, textAt))
      .setAAD(sealed.subarray(0, nonceAt))
      .setAuthTag(sealed.subarray(textEnd));
    return decipher.update(sealed.subarray(textAt, textEnd), undefined, 'utf8') + decipher.final('utf8');
  } catch (cause) {
    throw new SealedSecretError('it is damaged: it is not what was encrypted', { cause });
  }
}

/** What a text begins with that this key has sealed. */
export function sealedBy({ id }: SecretsKey): Buffer {
  return Buffer.concat([version, id]);
}

function isSealedBy(key: SecretsKey, sealed: Buffer): boolean {
  return sealed.subarray(0, nonceAt).equals(sealedBy(key));
}

/** The name of a key in messages. */
function keyName(id: Uint8Array): string {
  return Buffer.from(id).toString('hex');
}
