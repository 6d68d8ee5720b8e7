import type { CredentialKind } from '@visitor-counter/database/tables/schema';
import type { Command } from 'commander';
import type { Surroundings } from '../context/context.ts';
import { withDatabase } from '../context/with-database.ts';
import { revokeCredential } from '../credentials/revoke-credential.ts';
import { companyOption, jsonOption, kindOption, labelOption } from './options.ts';

interface Options {
  readonly company: string;
  readonly kind: CredentialKind;
  readonly label: string;
  readonly json?: true;
}

export function addTokenRevoke(token: Command, around: Surroundings): void {
  token
    .command('revoke')
    .description('Revoke a credential: it stops working at once. Repeating it changes nothing.')
    .addOption(companyOption().makeOptionMandatory())
    .addOption(kindOption().makeOptionMandatory())
    .addOption(labelOption().makeOptionMandatory())
    .addOption(jsonOption())
    .action(async ({ json, ...options }: Options) => {
      const revoked = await withDatabase(around.env, (db) => revokeCredential(db, options));
      if (json) return around.print(JSON.stringify(revoked));
      const { company, kind, label, changed } = revoked;
      around.print(
        `${changed ? 'revoked' : 'was revoked before:'} ${kind} credential ${label} of ${company}`,
      );
    });
}
