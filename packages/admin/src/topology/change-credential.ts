import { recordAudit } from '@visitor-counter/database/audit/record-audit';
import type { CredentialKind } from '@visitor-counter/database/credentials/credentials';
import {
  loadTopology,
  lockTopology,
  type StoredCompany,
  type StoredCredential,
} from '@visitor-counter/database/topology/topology';
import { nameKey } from '@visitor-counter/domain/name-key';
import type { Transaction } from 'kysely';
import { required } from '../command/command.ts';
import { type CommandContext, unknownCompany, withChanges } from '../command/context.ts';
import { company, kind, label } from '../command/options.ts';

/** The options that name a credential. */
export const credentialKey = { company: required(company), kind: required(kind), label: required(label) };

export interface CredentialKey {
  readonly company: string;
  readonly kind: CredentialKind;
  readonly label: string;
}

/**
 * Runs `change` in a transaction, with the company and the stored credential of this kind and label, if any; `record`
 * adds an entry to the audit log.
 */
export function changeCredential<Result>(
  context: CommandContext,
  wanted: CredentialKey,
  change: (
    trx: Transaction<unknown>,
    company: StoredCompany,
    stored: StoredCredential | undefined,
    record: (action: string, details: Readonly<Record<string, unknown>>) => Promise<void>,
  ) => Promise<Result>,
): Promise<Result> {
  const companyKey = nameKey(wanted.company);
  return withChanges(context, ({ kysely }, author) =>
    kysely.transaction().execute(async (trx) => {
      await lockTopology(trx);
      const { companies } = await loadTopology(trx, { companies: [companyKey], devices: [] });
      const company = companies.get(companyKey);
      if (company === undefined) throw unknownCompany(wanted.company);
      const isWanted = ({ kind, label }: StoredCredential) => kind === wanted.kind && label === wanted.label;
      const subject = { kind: 'credential', key: `${wanted.kind}/${wanted.label}` } as const;
      return change(trx, company, company.credentials.find(isWanted), (action, details) =>
        recordAudit(trx, author, { action, company: company.name, subject, details }),
      );
    }),
  );
}
