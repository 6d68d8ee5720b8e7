import Type, { type Static } from 'typebox';
import { credentialKinds, generateSecret, hashSecret } from '../credentials/credentials.ts';
import type { Db } from '../sql/query-builder.ts';
import { sidsIn } from '../stores/stores.ts';
import type { Owner } from './company.ts';
import { invalid } from './read-entry.ts';
import { lockedRow, type Saved, saveRow } from './save-row.ts';
import { storeIdsOf } from './store.ts';
import { expires, identifier, parseExpiry, secret, sidsOrAll, trueOrFalse } from './values.ts';

/** A credential as it is saved, found by its kind and label. */
export const Credential = Type.Object({
  kind: Type.Enum(credentialKinds, { description: `one of ${credentialKinds.join(', ')}` }),
  label: identifier,
  value: Type.Optional(secret),
  expires: Type.Optional(expires),
  stores: Type.Optional(sidsOrAll),
  settings: Type.Optional(trueOrFalse),
});

/** The stored credential of a kind and label. */
export async function findCredential(db: Db, owner: Owner, kind: string, label: string) {
  return await db
    .selectFrom('credential')
    .select(['expiresAt', 'mayConfigure as settings', sidsIn('credential.storeIds').as('stores')])
    .select((eb) => eb('revokedAt', 'is not', null).$castTo<boolean>().as('revoked'))
    .where('companyId', '=', owner.id)
    .where('kind', '=', kind)
    .where('label', '=', label)
    .executeTakeFirst();
}

/** A revoked credential remains revoked until it gets a new value. A new one gets a value if none is given. */
export async function saveCredential(
  trx: Db,
  owner: Owner,
  given: Static<typeof Credential> & { readonly revoked?: true },
): Promise<Saved> {
  const { kind, label, settings, stores } = given;
  const key = { companyId: owner.id, kind, label };
  const stored = await lockedRow(trx, 'credential', key);
  const secret = stored || given.value !== undefined ? undefined : generateSecret();
  const value = given.value ?? secret;
  const hash = value === undefined ? undefined : hashSecret(value);
  if (hash) await requireUnused(trx, hash, stored?.id, value);
  if (settings && kind !== 'staff')
    throw invalid('settings', true, 'false: only credentials of kind staff can change settings');
  const isRenewed = stored && hash && !hash.equals(stored.hash);
  const revokedAt = given.revoked ? (stored?.revokedAt ?? Date.now()) : isRenewed ? null : undefined;
  const values = {
    hash,
    expiresAt: given.expires === undefined ? undefined : parseExpiry(given.expires),
    revokedAt,
    storeIds: stores && (await storeIdsOf(trx, owner, (index) => `stores[${index}]`, stores)),
    mayConfigure: settings,
  };
  const fields = {
    hash: 'value',
    expiresAt: 'expires',
    revokedAt: 'revoked',
    storeIds: 'stores',
    mayConfigure: 'settings',
  };
  const saved = await saveRow(trx, 'credential', { stored, key, values, fields });
  return { ...saved, ...(secret && { secret }) };
}

async function requireUnused(trx: Db, hash: Buffer, id: number | undefined, value: unknown): Promise<void> {
  const other = await trx.selectFrom('credential').select('id').where('hash', '=', hash).executeTakeFirst();
  if (other && other.id !== id) throw invalid('value', value, 'a value that no other credential has');
}
