import { type Kysely, sql } from 'kysely';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { DB } from '../sql/schema.ts';
import { SealedSecretError, seal, sealedBy, unseal } from './seal.ts';
import { missingKey, type SecretsKey } from './secrets-key.ts';

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
