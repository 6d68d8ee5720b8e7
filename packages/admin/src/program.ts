import { Command } from 'commander';
import { addAlertList } from './commands/alert-list.ts';
import { addAlertRule } from './commands/alert-rule.ts';
import { addAlertTarget } from './commands/alert-target.ts';
import { addAlertTest } from './commands/alert-test.ts';
import { addApply } from './commands/apply.ts';
import { addCrossingsRestore } from './commands/crossings-restore.ts';
import { addCrossingsVoid } from './commands/crossings-void.ts';
import { addCrossingsVoids } from './commands/crossings-voids.ts';
import { addDeviceCommands } from './commands/device-command.ts';
import { addDeviceConfigure } from './commands/device-configure.ts';
import { addDeviceDiagnose } from './commands/device-diagnose.ts';
import { addDeviceList } from './commands/device-list.ts';
import { addDeviceOrders } from './commands/device-orders.ts';
import { addDeviceRetire } from './commands/device-retire.ts';
import { addDeviceRevoke } from './commands/device-revoke.ts';
import { addDeviceRotate } from './commands/device-rotate.ts';
import { addEnrolmentCreate } from './commands/enrolment-create.ts';
import { addEnrolmentList, addEnrolmentShow } from './commands/enrolment-list.ts';
import { addEnrolmentRevoke } from './commands/enrolment-revoke.ts';
import { addProjection } from './commands/projection.ts';
import { addRejectedDiscard } from './commands/rejected-discard.ts';
import { addRejectedList } from './commands/rejected-list.ts';
import { addRejectedRetry } from './commands/rejected-retry.ts';
import { addRejectedShow } from './commands/rejected-show.ts';
import { addTokenIssue } from './commands/token-issue.ts';
import { addTokenList } from './commands/token-list.ts';
import { addTokenRevoke } from './commands/token-revoke.ts';
import type { Surroundings } from './context/context.ts';

const help = `
The database is the one of DATABASE_URL, else the embedded one while \`npx pnpm start\` runs.
Every command has its own --help. With --json, standard output is one JSON document and nothing else.
Exit codes: 0 done, 1 failed, 2 wrong usage, file or setting.`;

/** All commands. A usage error is thrown as a CommanderError instead of ending the process. */
export function createProgram(around: Surroundings): Command {
  const program = new Command('admin')
    .description("The operator's command line of the visitor counter.")
    .addHelpText('after', help)
    .configureOutput({
      writeOut: (text) => around.print(text.trimEnd()),
      writeErr: (text) => around.complain(text.trimEnd()),
    })
    .exitOverride();
  addApply(program, around);
  const token = program.command('token').description('Issue, list and revoke the credentials of companies.');
  addTokenIssue(token, around);
  addTokenList(token, around);
  addTokenRevoke(token, around);
  const device = program
    .command('device')
    .description('List devices, their secrets, their settings and commands.');
  addDeviceList(device, around);
  addDeviceRevoke(device, around);
  addDeviceRetire(device, around);
  addDeviceRotate(device, around);
  addDeviceConfigure(device, around);
  addDeviceCommands(device, around);
  addDeviceOrders(device, around);
  addDeviceDiagnose(device, around);
  const enrolment = program
    .command('enrolment')
    .description('Make, list and revoke the codes by which units enrol; show the attempts with them.');
  addEnrolmentCreate(enrolment, around);
  addEnrolmentList(enrolment, around);
  addEnrolmentShow(enrolment, around);
  addEnrolmentRevoke(enrolment, around);
  addProjection(
    program.command('projection').description('Look at what is derived from crossings, or derive it again.'),
    around,
  );
  const rejected = program
    .command('rejected')
    .description('List messages of units that could not be stored; retry or discard them.');
  addRejectedList(rejected, around);
  addRejectedShow(rejected, around);
  addRejectedRetry(rejected, around);
  addRejectedDiscard(rejected, around);
  const crossings = program
    .command('crossings')
    .description('Remove false crossings from every number, and undo that.');
  addCrossingsVoid(crossings, around);
  addCrossingsVoids(crossings, around);
  addCrossingsRestore(crossings, around);
  const alert = program
    .command('alert')
    .description('Alerts to companies: rules, targets, and what was sent.');
  addAlertList(alert, around);
  addAlertRule(alert, around);
  addAlertTarget(alert, around);
  addAlertTest(alert, around);
  return program;
}
