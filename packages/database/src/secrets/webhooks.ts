import { type Kysely, type NotNull, sql } from 'kysely';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { type Author, recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../sql/connect.ts';
import type { DB } from '../sql/schema.ts';
import { lockTopology } from '../topology/topology.ts';
import { SealedSecretError, seal, sealedBy, unseal } from './seal.ts';
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

/** How many enabled webhooks are encrypted with other keys than these. */
export async function unreadableWebhooks(db: Kysely<DB>, keys: SecretsKeys | undefined): Promise<number> {
  const known = [keys?.current, keys?.previous].flatMap((key) => (key ? [sealedBy(key)] : []));
  const { count } = await db
    .selectFrom('alertTarget')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('enabled', '=', true)
    .where('sealed', 'is not', null)
    .where(sealedHead, '<>', sql<Buffer>`all(${known}::bytea[])`)
    .executeTakeFirstOrThrow();
  return count;
}

/** What a webhook in the database begins with (`sealedBy`). */
const sealedHead = sql<Buffer>`substring(sealed from 1 for 9)`;

/** A webhook that cannot be decrypted. */
interface UnreadableWebhook {
  readonly company: string;
  readonly label: string;
  readonly problem: string;
}

/**
 * Encrypts all webhooks with the current key that were encrypted with the previous one, and returns their number. If some
 * cannot be decrypted, it changes nothing and returns those.
 */
export async function reencryptWebhooks(
  { kysely }: Database,
  author: Author,
  keys: SecretsKeys,
): Promise<{ readonly reencrypted: number; readonly unreadable: readonly UnreadableWebhook[] }> {
  return kysely.transaction().execute(async (trx) => {
    await lockTopology(trx);
    const rows = await trx
      .selectFrom('alertTarget')
      .innerJoin('company', 'company.id', 'companyId')
      .select(['alertTarget.id', 'company.name as company', 'label', 'sealed'])
      .where('sealed', 'is not', null)
      .where(sealedHead, '<>', sealedBy(keys.current))
      .$narrowType<{ sealed: NotNull }>()
      .execute();
    const read = rows.map((row) => ({ ...row, ...readAgain(keys, row.sealed) }));
    const unreadable = read.flatMap(({ company, label, problem }) =>
      problem === undefined ? [] : [{ company, label, problem }],
    );
    if (unreadable.length > 0) return { reencrypted: 0, unreadable };
    for (const { id, again: sealed } of read)
      await trx.updateTable('alertTarget').set({ sealed }).where('id', '=', id).execute();
    if (read.length > 0)
      await recordAudit(trx, author, {
        action: 'webhooks encrypted with another key',
        company: null,
        subject: { kind: 'database', key: 'SECRETS_KEY' },
        details: { webhooks: read.length },
      });
    return { reencrypted: read.length, unreadable };
  });
}

function readAgain(keys: SecretsKeys, sealed: Buffer): { again?: Buffer; problem?: string } {
  try {
    return { again: sealWebhook(keys, unsealWebhook(keys, sealed)) };
  } catch (error) {
    if (error instanceof SealedSecretError) return { problem: error.message };
    throw error;
  }
}
