import { declareLost } from '@visitor-counter/database/coverage/account-unstored';
import { retryOnConflict } from '@visitor-counter/database/sql/unavailable';
import {
  type ListedVoid,
  listVoids,
  previewVoid,
  restoreVoid,
  type VoidRange,
  voidCrossings,
} from '@visitor-counter/database/voids/void-crossings';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { wholeNumber } from '@visitor-counter/service/settings/kinds';
import { command, group, required, textOption } from '../command/command.ts';
import { type CommandContext, change, confirm, withChanges, withDatabase } from '../command/context.ts';
import { findDevice } from '../command/find.ts';
import { device, instant, yes } from '../command/options.ts';
import { counted, instantText, inUtc, tableOf } from '../command/text.ts';

const voidCommand = command({
  name: 'void',
  description: 'Remove false crossings of a device from every number.',
  options: {
    device: required(device),
    from: required(instant('from this instant on, such as 2026-11-20T10:00:00Z')),
    until: required(instant('and before this one')),
    reason: required(textOption('<text>', 'why, for the record')),
    yes,
  },
  help: `
The crossings of the device from --from until before --until are removed from every number: occupancy, counts, ranges
and exports. The command first shows how many they are by store and business day. If the unit sends one of them again, it
is acknowledged and not counted. Other crossings of that time count as usual, so stop a unit that continues to send false
ones (admin device revoke). Operator (OPERATOR, or the user who runs this), time and reason are recorded permanently. To undo it: admin crossings restore.

JSON, which needs --yes: {"id","crossings","counts":[{"store","day","in","out"}]}`,
  run: async (context, { device, from, until, reason, yes }) => {
    if (from >= until)
      throw new ConfigurationError('--until', new Date(until).toISOString(), 'an instant after --from');
    const { id: deviceId } = await withDatabase(context, (db) => findDevice(db.kysely, device));
    const range = { deviceId, from, until };
    const expected = yes ? undefined : await askFor(context, device, range);
    const { id, crossings, counts } = await withChanges(context, ({ kysely }, author) =>
      retryOnConflict(() => voidCrossings(kysely, { ...range, reason, author, expected })),
    );
    const text = `${tableOf(counts)}\n\n${counted(crossings, 'crossing')} removed: void ${id}`;
    return { json: { id, crossings, counts }, text };
  },
});

/** Shows the crossings and asks for confirmation, without an open connection to the database. */
async function askFor(context: CommandContext, device: string, range: VoidRange) {
  const counts = await withDatabase(context, ({ kysely }) => previewVoid(kysely, range));
  const crossings = counts.reduce((sum, day) => sum + day.in + day.out, 0);
  const question = `Remove these ${crossings} crossings of ${device} from every number?`;
  if (crossings > 0) await confirm(context, `${tableOf(counts)}\n\n${question}`);
  return crossings;
}

const listCommand = command({
  name: 'voids',
  description: 'List voids, oldest first: crossings, operator, time, reason, and whether they were restored.',
  options: { device },
  help: `
JSON: {"voids":[{"id","serial","from","until","reason","by","at","crossings","counts","restored":{"by","at"} or null}]}`,
  run: async (context, { device }) => {
    const voids = await withDatabase(context, async (db) =>
      listVoids(db.kysely, device === undefined ? undefined : (await findDevice(db.kysely, device)).id),
    );
    const json = voids.map(({ restored, ...one }) => ({
      ...inUtc(one),
      restored: restored && inUtc(restored),
    }));
    return { json: { voids: json }, text: tableOf(voids.map(rowOf)) };
  },
});

function rowOf({ id, serial, crossings, by, restored, reason, ...one }: ListedVoid): object {
  const [from, until, at] = [one.from, one.until, one.at].map(instantText);
  const undone = restored && `${instantText(restored.at)} by ${restored.by}`;
  return { id, device: serial, from, until, crossings, by, at, restored: undone, reason };
}

const restoreCommand = command({
  name: 'restore',
  description: 'Undo a void: its crossings count again.',
  argument: {
    name: '<void>',
    description: 'its number in crossings voids',
    kind: wholeNumber(1, 999_999_999),
  },
  help: `
The crossings count again, each in the store in which the device was at its instant. The void remains in the record,
with the operator who undid it and the time.

JSON: {"id","restored":<how many crossings>}`,
  run: async (context, _options, id) => {
    const restored = await withChanges(context, ({ kysely }, author) =>
      retryOnConflict(() => restoreVoid(kysely, id, author)),
    );
    return { json: { id, restored }, text: `${counted(restored, 'crossing')} restored` };
  },
});

const lostCommand = command({
  name: 'declare-lost',
  description: 'Declare the missing crossings of a device lost: its store waits for them no longer.',
  options: { device: required(device), yes },
  help: `
For crossings that nobody can deliver any more, such as those on the card of a unit that was replaced: deliver that card
first, with \`counter-agent deliver\`. The lost ones are shown with the numbers of their day. If they arrive after all, they
count.

JSON, which needs --yes: [{"journal","lost":<how many crossings>}]`,
  run: async (context, { device }) => {
    await confirm(context, `Declare all missing crossings of ${device} lost?`);
    const lost = await change(context, async (trx, record) => {
      const { id, serial, company } = await findDevice(trx, device);
      const journals = await declareLost(trx, id);
      for (const details of journals)
        await record({
          action: 'crossings declared lost',
          company,
          subject: { kind: 'device', key: serial },
          details,
        });
      return journals;
    });
    return { json: lost, text: lost.length === 0 ? 'no crossings are missing' : tableOf(lost) };
  },
});

export const crossingsCommands = group(
  'crossings',
  'Remove false crossings from every number, undo that, and declare missing ones lost.',
  [voidCommand, listCommand, restoreCommand, lostCommand],
);
