import { type ListedVoid, listVoids } from '@visitor-counter/database/voids/list-voids';
import type { Command } from 'commander';
import type { Surroundings } from '../context/context.ts';
import { withDatabase } from '../context/with-database.ts';
import { findDevice } from '../devices/find-device.ts';
import { instantText } from '../terminal/instant-text.ts';
import { plain } from '../terminal/plain.ts';
import { table } from '../terminal/table.ts';
import { deviceOption, jsonOption } from './options.ts';

const help = `
JSON: {"voids":[{"id","serial","from","until","reason","by","at","crossings","counts","restored":{"by","at"} or null}]}`;

export function addCrossingsVoids(crossings: Command, around: Surroundings): void {
  crossings
    .command('voids')
    .description(
      'List what was removed, oldest first: which crossings, who, when, why, and whether it was restored.',
    )
    .addOption(deviceOption())
    .addOption(jsonOption())
    .addHelpText('after', help)
    .action(async ({ device, json }: { device?: string; json?: true }) => {
      const voids = await withDatabase(around.env, async (db) =>
        listVoids(db.kysely, device === undefined ? undefined : (await findDevice(db, device)).id),
      );
      around.print(json ? JSON.stringify({ voids }) : voidsTable(voids));
    });
}

function voidsTable(voids: readonly ListedVoid[]): string {
  return table(
    ['ID', 'DEVICE', 'FROM', 'UNTIL', 'CROSSINGS', 'BY', 'AT', 'RESTORED', 'REASON'],
    voids.map(({ id, serial, from, until, crossings, by, at, restored, reason }) => [
      ...[String(id), serial, instantText(from), instantText(until), String(crossings), plain(by)],
      ...[
        instantText(at),
        restored ? `${instantText(restored.at)} by ${plain(restored.by)}` : '-',
        plain(reason),
      ],
    ]),
  );
}
