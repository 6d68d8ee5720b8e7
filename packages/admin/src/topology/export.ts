import { listCompanies } from '@visitor-counter/database/configuration/company';
import { exportCompany } from '@visitor-counter/database/configuration/export';
import { stringify } from 'yaml';
import { command } from '../command/command.ts';
import { findCompany, readKnown } from '../command/find.ts';
import { company } from '../command/options.ts';

export const exportCommand = command({
  name: 'export',
  description: 'Print companies, and what they own, as a file for `apply`.',
  options: { company },
  help: `
The file has no secrets. Applied to the same database it changes nothing; in another one, devices and credentials get new
secrets, and webhooks need their URLs. Revoked credentials, and where devices were before, are left out.

Example:
  admin export --company Acme > acme.yaml`,
  run: async (context, { company }) => {
    const companies = await readKnown(context, { company }, async ({ kysely }) => {
      const exported: object[] = [];
      for (const { name } of await listCompanies(kysely, company))
        exported.push(await exportCompany(kysely, (await findCompany(kysely, name)).id));
      return exported;
    });
    const file = { companies };
    const text = stringify(file, { aliasDuplicateObjects: false, ...quoted }).trimEnd();
    /* Output for people escapes these characters in a way that YAML does not know. */
    const escaped = text.replaceAll(/\p{Cf}|[\u2028\u2029]/gu, (character) => {
      return `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`;
    });
    return { json: file, text: escaped };
  },
});

const quoted = { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 } as const;
