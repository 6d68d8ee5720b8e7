import {
  insertCredential,
  setCredentialStores,
  updateCredential,
} from '@visitor-counter/database/credentials/credentials';
import { hashSecret, secretMatches } from '@visitor-counter/database/credentials/secret';
import type { StoredCredential } from '@visitor-counter/database/topology/topology';
import type { Entry } from '../../file/entry.ts';
import { wrongValue } from '../../file/entry.ts';
import type { Company, Credential } from '../../file/topology.ts';
import { parseExpiry } from '../../file/topology.ts';
import type { PlannedChange } from './plan.ts';
import { type Plan, planEntry, planFields, unknownStore } from './plan.ts';

export function planCredential(plan: Plan, company: Company, { path, value }: Entry<Credential>): void {
  if (value.value !== undefined && isTaken(plan, company, value, value.value)) {
    plan.problems.push(wrongValue(`${path}.value`, value.value, 'a value that no other credential has'));
  }
  for (const [index, sid] of (value.stores ?? []).entries()) {
    const problem = unknownStore(plan, company, sid, `${path}.stores[${index}]`);
    if (problem) plan.problems.push(problem);
  }
  const stored = plan.stored.companies
    .get(company.key)
    ?.credentials.find(({ kind, label }) => kind === value.kind && label === value.label);
  planEntry(plan, [
    stored === undefined
      ? planNewCredential(plan, company, value)
      : planCredentialFields(company, value, stored),
  ]);
}

function isTaken({ owners }: Plan, company: Company, { kind, label }: Credential, value: string): boolean {
  const owner = owners.get(hashSecret(value).toString('hex'));
  if (owner === undefined) return false;
  return owner.companyKey !== company.key || owner.kind !== kind || owner.label !== label;
}

function about(company: Company, { kind, label }: Credential) {
  return { kind: 'credential', key: `${kind}/${label}`, company: company.name } as const;
}

function planNewCredential(plan: Plan, company: Company, credential: Credential): PlannedChange {
  const { kind, label, stores } = credential;
  const value = credential.value ?? plan.generateSecret();
  if (credential.value === undefined) {
    plan.secrets.push({ kind: 'credential', company: company.name, credentialKind: kind, label, value });
  }
  const expires = parseExpiry(credential.expires ?? 'never') ?? null;
  return {
    change: { action: 'created', ...about(company, credential) },
    write: async (trx) => {
      await insertCredential(trx, company.key, { kind, label, hash: hashSecret(value), expires });
      if (stores) await setCredentialStores(trx, company.key, credential, stores);
    },
  };
}

/** A revoked credential remains revoked unless the file has a new value for it. */
function planCredentialFields(
  company: Company,
  credential: Credential,
  stored: StoredCredential,
): PlannedChange | undefined {
  const { value, stores } = credential;
  const renewed = value !== undefined && !secretMatches(value, stored.hash);
  const expires = credential.expires === undefined ? undefined : parseExpiry(credential.expires);
  const rescheduled = expires !== undefined && expires !== stored.expires;
  const limited = stores !== undefined && !isSame(stores, stored.stores);
  const revived = renewed && stored.revoked;
  return planFields(
    about(company, credential),
    { value: renewed, expires: rescheduled, revoked: revived, stores: limited },
    async (trx) => {
      if (limited) await setCredentialStores(trx, company.key, credential, stores ?? null);
      if (!renewed && !rescheduled) return;
      await updateCredential(trx, stored.id, {
        ...(renewed ? { hash: hashSecret(value) } : {}),
        ...(rescheduled ? { expires } : {}),
        ...(revived ? { revoked: false } : {}),
      });
    },
  );
}

function isSame(sids: readonly string[] | null, stored: ReadonlySet<string> | null): boolean {
  if (sids === null || stored === null) return sids === stored;
  return stored.symmetricDifference(new Set(sids)).size === 0;
}
