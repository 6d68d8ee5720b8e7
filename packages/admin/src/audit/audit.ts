import { type AuditEntry, listAudit } from '@visitor-counter/database/audit/audit-log';
import { utcText } from '@visitor-counter/domain/time';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { command, textOption } from '../command/command.ts';
import { withDatabase } from '../command/context.ts';
import { findCompany } from '../command/find.ts';
import { company, limit, time } from '../command/options.ts';
import { instantText, inUtc, tableOf } from '../command/text.ts';

const kind = time('24h, 7d, 2026-11-20 or an instant such as 2026-11-20T10:00:00Z', Number.NEGATIVE_INFINITY);

export const auditCommand = command({
  name: 'audit',
  description: 'List changes with their authors, times and origins, the latest first.',
  options: {
    from: {
      value: '<when>',
      description: 'from this time on: 24h or 7d ago, a date (UTC) or an instant',
      kind,
    },
    until: { value: '<when>', description: 'and before this one', kind },
    who: textOption('<name>', 'the operator, the member of staff or the label of their credential'),
    subject: textOption(
      '<key>',
      'the changed object: a serial number, a sid, a name, kind/label of a credential',
    ),
    company,
    limit: limit(10_000),
  },
  help: `
Every change by an operator on the command line, by staff at the page or over /v1, and every enrolment of a unit is an
entry, written in the same transaction as the change. Entries can be neither changed nor deleted, and contain no secret.

An operator is the user who runs the command, or who called sudo; the variable OPERATOR gives another name, for
containers and shared users. Staff are the name that they enter, with the label of their credential.

Examples:
  admin audit --from 24h
  admin audit --subject CU-0001
  admin audit --who anna --from 2026-11-01 --until 2026-12-01 --json

JSON: {"entries":[{"id","at","author":{"kind","name","credential","origin"},"action","company","subject":{"kind","key"},
"details"}]}`,
  run: async (context, { limit: most, company, ...filter }) => {
    const { from, until } = filter;
    if (from !== undefined && until !== undefined && until <= from)
      throw new ConfigurationError('--until', utcText(until), 'a time after --from');
    const entries = await withDatabase(context, async ({ kysely }) => {
      const name = company && (await findCompany(kysely, company)).name;
      return listAudit(kysely, { ...filter, company: name }, most);
    });
    const json = entries.map((entry) => ({ ...inUtc(entry), id: String(entry.id) }));
    return {
      json: { entries: json },
      text: entries.length === 0 ? 'no entries' : tableOf(entries.map(rowOf)),
    };
  },
});

function rowOf({ at, author, action, subject, company, details }: AuditEntry): object {
  const [who, from] = [whoText(author), author.origin];
  return { at: instantText(at), who, from, action, subject, company, details: detailsText(details) };
}

function whoText({ kind, name, credential }: AuditEntry['author']): string {
  if (kind === 'unit') return `unit ${name}`;
  return credential === null || credential === name ? name : `${name} (${credential})`;
}

/** `store: "S-1" -> "S-2", crossings: 4` */
function detailsText(details: unknown): string {
  return Object.entries(typeof details === 'object' && details !== null ? details : {})
    .map(([name, value]) => `${name}: ${valueText(value)}`)
    .join(', ');
}

function valueText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const { from, to, ...others } = { ...value } as Readonly<Record<string, unknown>>;
  const isChange = 'from' in value && 'to' in value && Object.keys(others).length === 0;
  return isChange ? `${valueText(from)} -> ${valueText(to)}` : JSON.stringify(value);
}
