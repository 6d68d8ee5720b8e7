import { type ListedAlert, listAlerts } from '@visitor-counter/database/alerts/alerts';
import { shownBeam } from '@visitor-counter/database/alerts/beam-label';
import { nameKey } from '@visitor-counter/domain/name-key';
import type { Command } from 'commander';
import type { Surroundings } from '../context/context.ts';
import { withDatabase } from '../context/with-database.ts';
import { instantText } from '../terminal/instant-text.ts';
import { plain } from '../terminal/plain.ts';
import { table } from '../terminal/table.ts';
import { companyOption, jsonOption } from './options.ts';

const limit = 200;

export function addAlertList(alert: Command, around: Surroundings): void {
  alert
    .command('list')
    .description(`List alerts, open ones first, the ${limit} newest: kind, start, and targets.`)
    .addOption(companyOption())
    .option('--open', 'only those that are not over')
    .addOption(jsonOption())
    .action(async ({ company, open, json }: { company?: string; open?: true; json?: true }) => {
      const filter = { ...(company && { companyKey: nameKey(company) }), ...(open && { open }) };
      const listed = await withDatabase(around.env, ({ kysely }) => listAlerts(kysely, filter, limit));
      around.print(json ? JSON.stringify(listed) : alertTable(listed));
    });
}

function alertTable(listed: readonly ListedAlert[]): string {
  return table(
    ['COMPANY', 'KIND', 'ABOUT', 'SINCE', 'OVER', 'SENT', 'WAITING', 'PROBLEM'],
    listed.map((one) => [
      ...[one.company, one.kind, aboutText(one.about), instantText(one.beganAt)],
      ...[one.clearedAt ? instantText(one.clearedAt) : 'no', String(one.sent), String(one.waiting)],
      plain(one.problem ?? ''),
    ]),
  );
}

/** The device and the store, as far as the alert is about one. */
function aboutText(about: unknown): string {
  if (typeof about !== 'object' || about === null) return '';
  const { serial, beam, store }: Record<string, unknown> = { ...about };
  const shown = beam === undefined ? undefined : shownBeam(beam);
  return plain([serial, shown, store].filter((part) => part !== undefined).join(' '));
}
