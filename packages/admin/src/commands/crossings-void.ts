import { againAtOnce } from '@visitor-counter/database/ingest/again-at-once';
import { NothingVoided, type Voided, voidCrossings } from '@visitor-counter/database/voids/void-crossings';
import { type DayCounts, previewVoid, type VoidRange } from '@visitor-counter/database/voids/void-range';
import { parseInstant } from '@visitor-counter/domain/instant';
import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import type { Command } from 'commander';
import { confirm } from '../context/confirm.ts';
import type { Surroundings } from '../context/context.ts';
import { OperatorError } from '../context/operator-error.ts';
import { operatorName } from '../context/operator-name.ts';
import { withDatabase } from '../context/with-database.ts';
import { findDevice } from '../devices/find-device.ts';
import { plain } from '../terminal/plain.ts';
import { table } from '../terminal/table.ts';
import { deviceOption, jsonOption } from './options.ts';

const help = `
The crossings of the device from --from until before --until are removed from every number: occupancy, counts, ranges
and exports are as if they had never happened. They are shown by store and business day first. A unit that sends
one of them again is acknowledged, and nothing is counted; other crossings of that time count as usual, so stop a unit
that continues to send false ones (admin device revoke). Who did it, when and why is recorded permanently;
admin crossings restore undoes it.

JSON, which needs --yes: {"id","crossings","counts":[{"store","day","in","out"}]}`;

interface Options {
  readonly device: string;
  readonly from: string;
  readonly until: string;
  readonly reason: string;
  readonly by?: string;
  readonly yes?: true;
  readonly json?: true;
}

export function addCrossingsVoid(crossings: Command, around: Surroundings): void {
  const command = crossings.command('void');
  command
    .description('Remove false crossings of a device from every number.')
    .addOption(deviceOption().makeOptionMandatory())
    .requiredOption('--from <instant>', 'from this instant on, such as 2026-11-20T10:00:00Z')
    .requiredOption('--until <instant>', 'and before this one')
    .requiredOption('--reason <text>', 'why, for the record')
    .option('--by <name>', 'who does it (the user who runs this)')
    .option('--yes', 'do not ask')
    .addOption(jsonOption())
    .addHelpText('after', help)
    .action(async (options: Options) => {
      if (options.json && !options.yes) command.error('error: --json needs --yes');
      if (options.reason.trim() === '') command.error('error: --reason needs a text');
      const voided = await voidRange(around, options);
      around.print(options.json ? JSON.stringify(voided) : voidedText(voided));
    });
}

async function voidRange(around: Surroundings, options: Options): Promise<Voided> {
  const [from, until] = [instant('--from', options.from), instant('--until', options.until)];
  if (from >= until) throw new ConfigurationError('--until', options.until, 'an instant after --from');
  const { device, reason, by = operatorName(around.env) } = options;
  const range = await withDatabase(around.env, async (db) => {
    const { id: deviceId } = await findDevice(db, device);
    return { deviceId, from, until };
  });
  const expected = options.yes ? undefined : await askFor(around, device, range);
  const order = { ...range, reason, by, ...(expected !== undefined && { expected }) };
  try {
    return await withDatabase(around.env, ({ kysely }) => againAtOnce(() => voidCrossings(kysely, order)));
  } catch (error) {
    if (!(error instanceof NothingVoided)) throw error;
    throw nothingVoided(error.crossings, expected);
  }
}

/** No connection to the database is open while the operator thinks. */
async function askFor(around: Surroundings, device: string, range: VoidRange): Promise<number> {
  const counts = await withDatabase(around.env, ({ kysely }) => previewVoid(kysely, range));
  const crossings = counts.reduce((sum, day) => sum + day.in + day.out, 0);
  if (crossings === 0) throw nothingVoided(0, undefined);
  around.print(countsTable(counts));
  await confirm(around, `\nRemove these ${crossings} crossings of ${device} from every number?`);
  return crossings;
}

function nothingVoided(found: number, expected: number | undefined): OperatorError {
  const what =
    found === 0 && expected === undefined
      ? 'the device has no crossings there that count'
      : `${expected} crossings were shown, and there are ${found} now; run the command again`;
  return new OperatorError('nothing-voided', `nothing was changed: ${what}`);
}

function voidedText({ id, crossings, counts }: Voided): string {
  return `${countsTable(counts)}\n\n${crossings} crossings removed: void ${id}`;
}

export function countsTable(counts: readonly DayCounts[]): string {
  return table(
    ['STORE', 'DAY', 'IN', 'OUT'],
    counts.map((one) => [plain(one.store), one.day, String(one.in), String(one.out)]),
  );
}

function instant(option: string, text: string): number {
  const at = parseInstant(text);
  if (at !== undefined) return at;
  throw new ConfigurationError(option, text, 'an instant such as 2026-11-20T10:00:00Z');
}
