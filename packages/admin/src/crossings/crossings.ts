import { userInfo } from 'node:os';
import { retryOnConflict } from '@visitor-counter/database/ingest/storing-error';
import {
  NothingToRestore,
  NothingVoided,
  restoreVoid,
  type Voided,
  voidCrossings,
} from '@visitor-counter/database/voids/void-crossings';
import {
  type DayCounts,
  type ListedVoid,
  listVoids,
  previewVoid,
  type VoidRange,
} from '@visitor-counter/database/voids/voids';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { Environment } from '@visitor-counter/service/settings/environment';
import type { Command } from 'commander';
import { type CommandContext, confirm, OperatorError, withDatabase } from '../command/context.ts';
import { deviceOption, jsonOption, parseInstantOption, parseWholeNumber } from '../command/options.ts';
import { instantText, plain, table } from '../command/text.ts';
import { findDevice } from '../devices/find-devices.ts';

/** Adds the commands that remove crossings from every number. */
export function addCrossingsCommands(program: Command, context: CommandContext): void {
  const crossings = program
    .command('crossings')
    .description('Remove false crossings from every number, and undo that.');
  addCrossingsVoid(crossings, context);
  addCrossingsVoids(crossings, context);
  addCrossingsRestore(crossings, context);
}

const voidHelp = `
The crossings of the device from --from until before --until are removed from every number: occupancy, counts, ranges
and exports are as if they had never happened. They are shown by store and business day first. A unit that sends
one of them again is acknowledged, and nothing is counted; other crossings of that time count as usual, so stop a unit
that continues to send false ones (admin device revoke). Who did it, when and why is recorded permanently;
admin crossings restore undoes it.

JSON, which needs --yes: {"id","crossings","counts":[{"store","day","in","out"}]}`;

interface VoidOptions {
  readonly device: string;
  readonly from: string;
  readonly until: string;
  readonly reason: string;
  readonly by?: string;
  readonly yes?: true;
  readonly json?: true;
}

function addCrossingsVoid(crossings: Command, context: CommandContext): void {
  const command = crossings.command('void');
  command
    .description('Remove false crossings of a device from every number.')
    .addOption(deviceOption().makeOptionMandatory())
    .requiredOption('--from <instant>', 'from this instant on, such as 2026-11-20T10:00:00Z')
    .requiredOption('--until <instant>', 'and before this one')
    .requiredOption('--reason <text>', 'why, for the record')
    .option('--by <name>', 'the operator, for the record (default: the user who runs this)')
    .option('--yes', 'do not ask for confirmation')
    .addOption(jsonOption())
    .addHelpText('after', voidHelp)
    .action(async (options: VoidOptions) => {
      if (options.json && !options.yes) command.error('error: --json needs --yes');
      if (options.reason.trim() === '') command.error('error: --reason needs a text');
      const voided = await voidRange(context, options);
      context.print(options.json ? JSON.stringify(voided) : voidedText(voided));
    });
}

async function voidRange(context: CommandContext, options: VoidOptions): Promise<Voided> {
  const [from, until] = [
    parseInstantOption('--from', options.from),
    parseInstantOption('--until', options.until),
  ];
  if (from >= until) throw new ConfigurationError('--until', options.until, 'an instant after --from');
  const { device, reason, by = operatorName(context.env) } = options;
  const range = await withDatabase(context.env, async (db) => {
    const { id: deviceId } = await findDevice(db, device);
    return { deviceId, from, until };
  });
  const expected = options.yes ? undefined : await askFor(context, device, range);
  const order = { ...range, reason, by, ...(expected !== undefined && { expected }) };
  try {
    return await withDatabase(context.env, ({ kysely }) =>
      retryOnConflict(() => voidCrossings(kysely, order)),
    );
  } catch (error) {
    if (!(error instanceof NothingVoided)) throw error;
    throw nothingVoided(error.crossings, expected);
  }
}

/** Shows the crossings and asks for confirmation, without an open connection to the database. */
async function askFor(context: CommandContext, device: string, range: VoidRange): Promise<number> {
  const counts = await withDatabase(context.env, ({ kysely }) => previewVoid(kysely, range));
  const crossings = counts.reduce((sum, day) => sum + day.in + day.out, 0);
  if (crossings === 0) throw nothingVoided(0, undefined);
  context.print(countsTable(counts));
  await confirm(context, `\nRemove these ${crossings} crossings of ${device} from every number?`);
  return crossings;
}

function nothingVoided(found: number, expected: number | undefined): OperatorError {
  const what =
    found === 0 && expected === undefined
      ? 'no crossings of the device count in this range'
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

const voidsHelp = `
JSON: {"voids":[{"id","serial","from","until","reason","by","at","crossings","counts","restored":{"by","at"} or null}]}`;

function addCrossingsVoids(crossings: Command, context: CommandContext): void {
  crossings
    .command('voids')
    .description(
      'List voids, oldest first: crossings, operator, time, reason, and whether they were restored.',
    )
    .addOption(deviceOption())
    .addOption(jsonOption())
    .addHelpText('after', voidsHelp)
    .action(async ({ device, json }: { device?: string; json?: true }) => {
      const voids = await withDatabase(context.env, async (db) =>
        listVoids(db.kysely, device === undefined ? undefined : (await findDevice(db, device)).id),
      );
      context.print(json ? JSON.stringify({ voids }) : voidsTable(voids));
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

const restoreHelp = `
The crossings count again, each in the store in which the device was at its instant. The void remains in the record,
with the operator who undid it and the time.

JSON: {"id","restored":<how many crossings>}`;

function addCrossingsRestore(crossings: Command, context: CommandContext): void {
  crossings
    .command('restore')
    .description('Undo a void: its crossings count again.')
    .argument('<void>', 'its number in crossings voids', parseWholeNumber(999_999_999))
    .option('--by <name>', 'the operator, for the record (default: the user who runs this)')
    .addOption(jsonOption())
    .addHelpText('after', restoreHelp)
    .action(async (id: number, { by = operatorName(context.env), json }: { by?: string; json?: true }) => {
      const restored = await withDatabase(context.env, ({ kysely }) =>
        retryOnConflict(() => restoreVoid(kysely, { id, by })).catch((error: unknown) => {
          if (error instanceof NothingToRestore)
            throw new OperatorError(error.code, `nothing was changed: ${error.message}`);
          throw error;
        }),
      );
      context.print(json ? JSON.stringify({ id, restored }) : `${restored} crossings restored`);
    });
}

/** The system user who runs this command: the user who called sudo, otherwise the user of the process. */
export function operatorName(env: Environment): string {
  if (env['SUDO_USER']) return env['SUDO_USER'];
  try {
    return userInfo().username;
  } catch {
    /* A container may have a user without a name. */
    return env['USER'] || `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
