import { updateCredential } from '@visitor-counter/database/credentials/write-credential';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { CredentialKind } from '@visitor-counter/database/tables/schema';
import { loadTopology } from '@visitor-counter/database/topology/load-topology';
import { lockTopology } from '@visitor-counter/database/topology/topology-lock';
import { nameKey } from '@visitor-counter/domain/name-key';
import { OperatorError } from '../context/operator-error.ts';
import { unknownCompany } from './issue-credential.ts';

export interface CredentialToRevoke {
  readonly company: string;
  readonly kind: CredentialKind;
  readonly label: string;
}

export interface RevokedCredential extends CredentialToRevoke {
  /** False for one that was revoked before. */
  readonly changed: boolean;
}

/**
 * Revokes a credential; doing it again changes nothing.
 * Throws OperatorError: unknown-company, unknown-credential.
 */
export async function revokeCredential(db: Database, wanted: CredentialToRevoke): Promise<RevokedCredential> {
  const companyKey = nameKey(wanted.company);
  return db.kysely.transaction().execute(async (trx) => {
    await lockTopology(trx);
    const { companies } = await loadTopology(trx, { companies: [companyKey], devices: [] });
    const company = companies.get(companyKey);
    if (company === undefined) throw unknownCompany(wanted.company);
    const stored = company.credentials.find(
      ({ kind, label }) => kind === wanted.kind && label === wanted.label,
    );
    if (stored === undefined) {
      const message = `${company.name} has no ${wanted.kind} credential ${wanted.label}; see \`admin token list\``;
      throw new OperatorError('unknown-credential', message);
    }
    const changed = !stored.revoked;
    if (changed) await updateCredential(trx, stored.id, { revoked: true });
    return { company: company.name, kind: wanted.kind, label: wanted.label, changed };
  });
}
