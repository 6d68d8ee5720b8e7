import { inspect } from 'node:util';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { Command, CommanderError } from 'commander';
import type { CommandContext } from './command/context.ts';
import { OperatorError } from './command/context.ts';
import { addCrossingsCommands } from './crossings/crossings.ts';
import { addProjectionCommands } from './crossings/projection.ts';
import { addDeviceAccess } from './devices/device-access.ts';
import { addCommandOrder } from './devices/device-command.ts';
import { addDeviceDiagnose } from './devices/device-diagnose.ts';
import { addDeviceList } from './devices/device-list.ts';
import { addDeviceOrders } from './devices/device-orders.ts';
import { addEnrolmentCommands } from './enrolment/enrolment.ts';
import { InvalidFileError } from './file/entry.ts';
import { addRejectedCommands } from './rejected/rejected.ts';
import { addAlertCommands } from './topology/alert.ts';
import { addApply } from './topology/apply.ts';
import { addTokenCommands } from './topology/token.ts';

const help = `
The database is the one of DATABASE_URL, else the embedded one while \`npx pnpm serve\` or \`npx pnpm start\` runs.
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
    context.printError(explain(error));
    return error instanceof ConfigurationError || error instanceof InvalidFileError ? 2 : 1;
  }
}

/** All commands. A usage error is thrown as a CommanderError instead of ending the process. */
export function createProgram(context: CommandContext): Command {
  const program = new Command('admin')
    .description("The operator's command line of the visitor counter.")
    .addHelpText('after', help)
    .configureOutput({
      writeOut: (text) => context.print(text.trimEnd()),
      writeErr: (text) => context.printError(text.trimEnd()),
    })
    .exitOverride();
  addApply(program, context);
  addTokenCommands(program, context);
  const device = program
    .command('device')
    .description('List devices, their secrets, their settings and commands.');
  addDeviceList(device, context);
  addDeviceAccess(device, context);
  addDeviceOrders(device, context);
  addCommandOrder(device, context);
  addDeviceDiagnose(device, context);
  addEnrolmentCommands(program, context);
  addProjectionCommands(program, context);
  addRejectedCommands(program, context);
  addCrossingsCommands(program, context);
  addAlertCommands(program, context);
  return program;
}

/** The message of an error that an operator can resolve; everything about any other. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return inspect(error);
  if (error instanceof OperatorError || error instanceof ConfigurationError) return error.message;
  if (error instanceof InvalidFileError) return error.message;
  if (!('code' in error)) return inspect(error);
  return `the database cannot be used: ${error.message || error.code}`;
}
