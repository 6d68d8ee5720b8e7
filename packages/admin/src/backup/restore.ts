import { resolve } from 'node:path';
import { findMigrateUrl } from '@visitor-counter/database/embedded/find-database';
import type { ChangedAccess } from '@visitor-counter/database/restore/compare-access';
import { RestoreRefusedError } from '@visitor-counter/database/restore/open-restore';
import { type Restored, restoreBackup } from '@visitor-counter/database/restore/restore-backup';
import { isDatabaseUnavailable } from '@visitor-counter/database/sql/unavailable';
import { codeOf, reasonOf } from '@visitor-counter/service/errors';
import { command, someText } from '../command/command.ts';
import { OperatorError, operatorOf } from '../command/context.ts';
import { checkArchive, DamagedBackupError, readTables } from './read-archive.ts';
import type { Manifest } from './write-archive.ts';

const help = `
The services continue meanwhile. The backup is checked, restored into new tables, compared with its numbers of rows and
brought up to date, and occupancy is derived from its crossings. Only then the services switch to these tables, in one
transaction. If anything fails before that, nothing has changed. The previous data is in another schema of the same
database until the next restore.
The database user must own the database and its tables.
JSON: {"file","createdAt","product","tables":{<name>:<rows>},"quarters","leftOut":[<table>],"previous":<schema
or null>,"restartGateways":<boolean>,"reportsMailedAgain":<why or null>,
"access":{"revived":[<credential>],"refused":[<credential>],"revivedUnits":[<serial>],"refusedUnits":[<serial>]} or null,"seconds"}`;

export const restoreCommand = command({
  name: 'restore',
  description: 'Replace the data by that of a backup, while the services run.',
  argument: { name: '<file>', description: 'a file that `backup` has written', kind: someText },
  help,
  run: async (context, { json: isJson }, name: string) => {
    const begin = performance.now();
    const file = resolve(context.folder, name);
    let step: Step | undefined;
    const onStep = (next: Step) => {
      step = next;
      if (!isJson) context.print(stepTexts[next]);
    };
    try {
      const url = await findMigrateUrl(context.env);
      onStep('read');
      const manifest = await checkArchive(file);
      const backup = { ...manifest, rows: () => readTables(file) };
      const restored = await restoreBackup({ url, author: operatorOf(context.env), backup, onStep });
      const seconds = Math.round((performance.now() - begin) / 100) / 10;
      return { json: jsonOf(file, manifest, restored, seconds), text: textOf(manifest, restored, seconds) };
    } catch (error) {
      throw explain(error, file, step);
    }
  },
});

type Step = keyof typeof stepTexts;

const stepTexts = {
  read: 'reading the backup and its checksum',
  load: 'writing the rows into new tables',
  migrate: 'bringing the restored tables up to date',
  derive: 'deriving occupancy from the crossings',
  switch: 'switching to the restored tables',
} as const;

function textOf(manifest: Manifest, restored: Restored, seconds: number): string {
  const { quarters, leftOut, previous, isOtherInstallation, unknownMails } = restored;
  const crossings = manifest.tables.find(({ name }) => name === 'crossing')?.rows ?? 0;
  const lines = [
    `restored the backup of ${manifest.createdAt}, written by version ${manifest.product}: ${crossings.toLocaleString('en')} crossings and ${quarters.toLocaleString('en')} quarter hours of occupancy in ${seconds} s; all numbers of rows are those of the backup`,
    ...(leftOut.length > 0 ? [`not part of this product, left out: ${leftOut.join(', ')}`] : []),
    ...(previous ? [`the previous data is in the schema ${previous} until the next restore`] : []),
    ...(isOtherInstallation ? ['restart the gateways: this is the data of another installation'] : []),
    ...(unknownMails === undefined
      ? []
      : [
          `reports since the backup are mailed again, since the previous tables cannot be read: ${reasonOf(unknownMails)}`,
        ]),
    'units send the crossings since the backup again',
    ...accessLines(manifest.createdAt, restored.access),
  ];
  return lines.join('\n');
}

/** What credentials and units can do now that they could not do before, and the other way round. */
function accessLines(createdAt: string, access: ChangedAccess | undefined): string[] {
  const rule = `credentials, secrets of units, sessions and codes are those of ${createdAt}: what was revoked or replaced since then works again, and what was made since then is refused`;
  if (access === undefined)
    return [`${rule}. The data from before cannot be compared: check \`token list\` and \`device list\``];
  const lists = [
    ['credentials that work again (token revoke)', access.revived],
    ['credentials that are refused now (token issue)', access.refused],
    ['units whose earlier secret works again (device revoke)', access.revivedUnits],
    ['units that cannot log in now (device rotate --secret, or device replace)', access.refusedUnits],
  ] as const;
  const found = lists.filter(([, names]) => names.length > 0);
  return found.length === 0 ? [] : [rule, ...found.map(([what, names]) => `${what}: ${names.join(', ')}`)];
}

function jsonOf(file: string, manifest: Manifest, restored: Restored, seconds: number) {
  const { createdAt, product, tables } = manifest;
  const { quarters, leftOut, previous = null, isOtherInstallation, unknownMails, access = null } = restored;
  return {
    file,
    createdAt,
    product,
    quarters,
    leftOut,
    previous,
    seconds,
    tables: Object.fromEntries(tables.map(({ name, rows }) => [name, rows])),
    restartGateways: isOtherInstallation,
    reportsMailedAgain: unknownMails === undefined ? null : reasonOf(unknownMails),
    access,
  };
}

function explain(error: unknown, file: string, step: Step | undefined): unknown {
  if (step === undefined || !(error instanceof Error)) return error;
  if (error instanceof DamagedBackupError)
    return new OperatorError(`${error.message}. Restore another backup. Nothing was changed.`);
  if (error instanceof RestoreRefusedError)
    return new OperatorError(`${error.message}. Nothing was changed.`);
  if (step === 'read' || ('syscall' in error && 'path' in error))
    return new OperatorError(`${file} cannot be read: ${error.message}. Nothing was changed.`);
  if (!('code' in error) && !isDatabaseUnavailable(error)) return error;
  const outcome =
    step === 'switch' && isDatabaseUnavailable(error)
      ? 'Check which data the programs show: the connection was lost while they switched'
      : 'Nothing was changed';
  const isDiskFull = codeOf(error) === diskFull;
  const reason = `${isDiskFull ? 'the disk of the database is full: ' : ''}${reasonOf(error)}`;
  return new OperatorError(`the restore failed (${stepTexts[step]}): ${reason}. ${outcome}.`);
}

/** The code of PostgreSQL for `disk_full`. */
const diskFull = '53100';
