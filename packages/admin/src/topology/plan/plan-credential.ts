import { type CredentialToWrite, writeCredential } from '@visitor-counter/database/credentials/credentials';
import { generateSecret, hashSecret } from '@visitor-counter/database/credentials/secret';
import type { StoredCredential } from '@visitor-counter/database/topology/topology';
import { wrongValue } from '../../file/entry.ts';
import type { Company, Credential } from '../../file/topology.ts';
import { parseExpiry } from '../../file/values.ts';
import { Confidential, checkStores, type Plan, planEntry, sidSet, storedOf } from './plan.ts';

/** A revoked credential remains revoked unless the file has a new value for it. */
export function planCredential(plan: Plan, company: Company, given: Credential): void {
  const { path, kind, label, value } = given;
  if (value !== undefined && isTaken(plan, company, given, value))
    plan.problems.push(wrongValue(`${path}.value`, value, 'a value that no other credential has'));
  if (given.settings && kind !== 'staff')
    plan.problems.push(
      wrongValue(`${path}.settings`, true, 'false: only credentials of kind staff can change settings'),
    );
  checkStores(plan, company, `${path}.stores`, given.stores);
  const stored = storedOf(plan, company)?.credentials.find((one) => one.kind === kind && one.label === label);
  const hash = hashOf(plan, company, given, stored);
  const isRenewed = stored !== undefined && !hash.equals(stored.hash);
  const { stores = stored?.stores ?? null } = given;
  const credential = {
    kind,
    label,
    hash,
    revoked: stored?.revoked === true && !isRenewed,
    expires: given.expires === undefined ? (stored?.expires ?? null) : (parseExpiry(given.expires) ?? null),
    stores: stores && sidSet(stores),
    settings: given.settings ?? stored?.settings ?? false,
  };
  planEntry(
    plan,
    { kind: 'credential', key: `${kind}/${label}`, company: company.name },
    { stored: stored && fieldsOf(stored), wanted: fieldsOf(credential) },
    (trx) => writeCredential(trx, company.key, credential),
  );
}

function fieldsOf({ hash, expires, revoked, stores, settings }: CredentialToWrite) {
  return {
    value: new Confidential(hash.toString('hex')),
    expires: expires === null ? null : new Date(expires).toISOString(),
    revoked,
    stores: stores && sidSet(stores),
    settings,
  };
}

function isTaken({ owners }: Plan, company: Company, { kind, label }: Credential, value: string): boolean {
  const owner = owners.get(hashSecret(value).toString('hex'));
  if (owner === undefined) return false;
  return owner.companyKey !== company.key || owner.kind !== kind || owner.label !== label;
}

/** The hash of its value: the one of the file, else the stored one, else a new one. */
function hashOf(
  plan: Plan,
  { name: company }: Company,
  { kind, label, value }: Credential,
  stored: StoredCredential | undefined,
): Buffer {
  if (value !== undefined) return hashSecret(value);
  if (stored !== undefined) return stored.hash;
  const secret = generateSecret();
  plan.secrets.push({ kind: 'credential', company, credentialKind: kind, label, value: secret });
  return hashSecret(secret);
}
