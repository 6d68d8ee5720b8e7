import { inspect } from 'node:util';
import { SetupRefusedError } from '@visitor-counter/database/access/setup-database';
import { CrossingsRemoved } from '@visitor-counter/database/retention/retention';
import { expectedInstead, isDatabaseUnavailable } from '@visitor-counter/database/sql/unavailable';
import { Refused, reasonOf } from '@visitor-counter/service/errors';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { Command, CommanderError } from 'commander';
import manifest from '../../../package.json' with { type: 'json' };
import { auditCommand } from './audit/audit.ts';
import { backupCommand } from './backup/backup.ts';
import { restoreCommand } from './backup/restore.ts';
import { FailureShown, group } from './command/command.ts';
import type { CommandContext } from './command/context.ts';
import { plain } from './command/text.ts';
import { crossingsCommands } from './crossings/crossings.ts';
import { projectionCommands } from './crossings/projection.ts';
import { databaseCommands } from './database/database.ts';
import { retire, revoke, rotate } from './devices/device-access.ts';
import { commandCommand } from './devices/device-command.ts';
import { configureCommand } from './devices/device-configure.ts';
import { diagnoseCommand } from './devices/device-diagnose.ts';
import { listCommand } from './devices/device-list.ts';
import { ordersCommand } from './devices/device-orders.ts';
import { removeDeviceCommand, setDeviceCommand } from './devices/device-set-remove.ts';
import { updateCommand } from './devices/device-update.ts';
import { doctorCommand } from './doctor/doctor.ts';
import { replaceCommand } from './enrolment/create-commands.ts';
import { enrolmentCommands } from './enrolment/enrolment.ts';
import { InvalidFileError } from './file/problems.ts';
import { rejectedCommands } from './rejected/rejected.ts';
import { applyCommand } from './topology/apply.ts';
import {
  alertCommands,
  companyCommands,
  groupCommands,
  reportCommands,
  storeCommands,
} from './topology/companies.ts';
import { exportCommand } from './topology/export.ts';
import { tokenCommands } from './topology/token.ts';
import { traceCommand } from './trace/trace.ts';

const deviceCommands = group(
  'device',
  'Set, move and replace devices; their secrets, settings and commands.',
  [
    listCommand,
    setDeviceCommand,
    removeDeviceCommand,
    replaceCommand,
    retire,
    revoke,
    rotate,
    configureCommand,
    ordersCommand,
    commandCommand,
    updateCommand,
    diagnoseCommand,
  ],
);

const commands = [
  doctorCommand,
  applyCommand,
  exportCommand,
  companyCommands,
  storeCommands,
  groupCommands,
  tokenCommands,
  deviceCommands,
  enrolmentCommands,
  projectionCommands,
  rejectedCommands,
  crossingsCommands,
  alertCommands,
  reportCommands,
  auditCommand,
  traceCommand,
  databaseCommands,
  backupCommand,
  restoreCommand,
];

const help = `
The database is the one of DATABASE_URL, else the embedded one of a server that runs.
Every command has its own --help. With --json, standard output is one JSON document and nothing else.
Exit codes: 0 done, 1 failed, 2 wrong usage, file or setting.`;

/**
 * Runs one command and returns the exit code: 0 done, 1 failed, 2 wrong usage, file or setting. Errors are printed to
 * standard error.
 */
export async function run(args: readonly string[], context: CommandContext): Promise<number> {
  try {
    await createProgram(context).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.code === 'commander.help' || error.exitCode > 0 ? 2 : 0;
    if (error instanceof FailureShown) return 1;
    context.printError(plain(explain(error)));
    return isForOperator(error) ? 2 : 1;
  }
}

/** Whether usage, a file or a setting must be changed before the command can work. */
function isForOperator(error: unknown): boolean {
  const isKnown = error instanceof ConfigurationError || error instanceof InvalidFileError;
  return isKnown || expectedInstead(error) !== undefined;
}

/** All commands. A usage error is thrown as a CommanderError instead of ending the process. */
export function createProgram(context: CommandContext): Command {
  const program = new Command(context.env['COUNTER_COMMAND'] ?? 'admin')
    .description("The operator's command line of the visitor counter.")
    .version(manifest.version, '--version', 'print the version')
    .addHelpText('after', help)
    .configureOutput({
      writeOut: (text) => context.print(text.trimEnd()),
      writeErr: (text) => context.printError(plain(text.trimEnd())),
    })
    .exitOverride();
  for (const add of commands) add(program, context);
  return program;
}

/** The message of an error that an operator can resolve; everything about any other. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return inspect(error);
  const resolvable = [Refused, ConfigurationError, InvalidFileError, CrossingsRemoved, SetupRefusedError];
  const isResolvable = resolvable.some((kind) => error instanceof kind);
  if (isResolvable) return error.message;
  const expected = expectedInstead(error);
  if (expected !== undefined) return `the database cannot be used: expected ${expected}`;
  if (!('code' in error) && !isDatabaseUnavailable(error)) return inspect(error);
  /* Of a file: the message names it. */
  if ('path' in error) return error.message;
  return `the database cannot be used: ${reasonOf(error)}`;
}
