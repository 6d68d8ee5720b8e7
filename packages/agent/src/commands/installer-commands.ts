import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { Command } from 'commander';
import { endWithReader } from './end-with-reader.ts';

/** Without the option, COUNTER_CONFIG names the file; the package sets it. */
const configOption = ['--config <file.yaml>', 'configuration file', process.env['COUNTER_CONFIG']] as const;
const doorOption = ['--door <serial>', 'which door, where the file has several'] as const;

const enrolHelp = `
The code is for one server; nothing is sent to another one. If you repeat it, also after a power cut, it continues the
same enrolment and uses up nothing more of the code. With the file of the package, its service restarts.

Exit codes: 0 enrolled, 1 the server is unavailable (try again), 2 refused, another server, or wrong usage.`;

const deliverHelp = `
The folder is not changed and may be read-only. Crossings that the server has are not counted again, so you may interrupt
and repeat the command. The service of this unit continues meanwhile.
Exit codes: 0 all delivered, 1 not all (try again), 2 refused, or wrong usage.`;

/** The commands for installers. Exit codes: 0 success, 1 failure, 2 a setting cannot be used. */
export function addInstallerCommands(program: Command): void {
  addEnrol(program);
  addDeliver(program);
  addWipe(program);
  program
    .command('doctor')
    .description('Check everything that a unit needs; say what to do about each problem.')
    .requiredOption(...configOption)
    .action(async (options) => exitWith((await import('./doctor.ts')).doctor(options, process)));
  program
    .command('watch')
    .description('Show the beams, the path of each person and the counts, live; for aligning.')
    .requiredOption(...configOption)
    .option(...doorOption)
    .action(async (options) => exitWith((await import('./watch.ts')).watch(options, process)));
  program
    .command('learn')
    .description('Walk in three times: finds swapped beams and inverted levels, writes them into the file.')
    .requiredOption(...configOption)
    .option(...doorOption)
    .action(async (options) => exitWith((await import('./learn.ts')).learn(options, process)));
  program
    .command('record')
    .description('Write the edges of a door as a trace that `detect` reads, until Ctrl-C.')
    .requiredOption(...configOption)
    .option(...doorOption)
    .option('--out <file.csv>', 'file to write; standard output when left out')
    .action(async (options) => exitWith((await import('./record.ts')).record(options, process)));
  program
    .command('status')
    .description('Show the state of the running agent.')
    .requiredOption(...configOption)
    .option('--json', 'as JSON')
    .action(async (options) => exitWith((await import('./status.ts')).status(options, process)));
  program
    .command('identify')
    .description('Blink the light of this unit for half a minute.')
    .requiredOption(...configOption)
    .option(...doorOption)
    .action(async (options) => exitWith((await import('./identify.ts')).identify(options, process)));
}

function addDeliver(program: Command): void {
  program
    .command('deliver')
    .description('Deliver what the unit that this one has replaced has counted and not delivered.')
    .argument('<journal>', 'folder of its journal; on its card var/lib/counter-agent/journal')
    .requiredOption(...configOption)
    .option(...doorOption)
    .addHelpText('after', deliverHelp)
    .action(async (folder, options) =>
      exitWith((await import('./deliver.ts')).deliver(folder, options, process)),
    );
}

function addEnrol(program: Command): void {
  program
    .command('enrol')
    .description('Enrol a door at the server with a code; write server, serial and secret into the file.')
    .requiredOption(...configOption)
    .requiredOption('--server <https://host>', 'address of the server')
    .option(
      '--code-file <file>',
      'file with the code that `admin enrolment create` printed; without it, the command asks',
    )
    .option('--code <code>', 'the code itself, which every user of this machine can then see')
    .option('--serial <serial>', 'that of the file, or of this machine, when left out')
    .addHelpText('after', enrolHelp)
    .action(async (options) => exitWith((await import('./enrol.ts')).enrol(options, process)));
}

function addWipe(program: Command): void {
  program
    .command('wipe')
    .description(
      'Remove the identity of this unit and all that it has counted, to give it away or use it again.',
    )
    .requiredOption(...configOption)
    .option('--discard-pending', 'also while crossings are pending: they will never be counted')
    .option('--yes', 'without asking')
    .addHelpText('after', '\nExit codes: 0 wiped, 1 nothing removed (says why), 2 a setting cannot be used.')
    .action(async (options) => exitWith((await import('./wipe.ts')).wipe(options, process)));
}

async function exitWith(command: Promise<number>): Promise<void> {
  endWithReader(process);
  try {
    process.exitCode = await command;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
}
