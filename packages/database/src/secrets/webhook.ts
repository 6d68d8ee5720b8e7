import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { SealedSecretError, seal, unseal } from './seal.ts';
import { missingKey, type SecretsKeys } from './secrets-key.ts';

/** Where the alerts of a company are POSTed to. The URL may contain a password or key, so it is as secret as the secret. */
export interface Webhook {
  readonly url: string;
  /** Signs the messages. */
  readonly secret: string;
}

const isWebhook = Compile(Type.Object({ url: Type.String(), secret: Type.String() }));

/** A webhook as it is stored: encrypted. Throws a ConfigurationError if there is no key. */
export function sealWebhook(keys: SecretsKeys | undefined, { url, secret }: Webhook): Buffer {
  if (keys === undefined) throw missingKey();
  return seal(keys, JSON.stringify({ url, secret }));
}

/** The webhook of what is stored. Throws a SealedSecretError if there is no key, or if it is another one. */
export function unsealWebhook(keys: SecretsKeys | undefined, sealed: Buffer): Webhook {
  if (keys === undefined) throw new SealedSecretError('it is encrypted, and SECRETS_KEY is not set');
  return isWebhook.Parse(JSON.parse(unseal(keys, sealed)));
}
