import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { Command } from 'commander';
import manifest from '../../../package.json' with { type: 'json' };

/** Without the option, COUNTER_CONFIG names the file; the package sets it. */
const configOption = ['--config <file.yaml>', 'configuration file', process.env['COUNTER_CONFIG']] as const;
const doorOption = ['--door <serial>', 'serial number of the door, if the file has several'] as const;

const runHelp = `
Environment variables:
  COUNTER_STATE    folder from which a relative journal starts; default: the folder of the file
  COUNTER_CONFIG   the configuration file, if --config is missing
  LOG_LEVEL        fatal, error, warn, info (default), debug, trace or silent

Logs are JSON lines on standard output. SIGTERM or SIGINT stops it cleanly.
Exit codes: 0 stopped by a signal, 1 failed, 2 a setting cannot be used.`;

const detectHelp = `
Input:  CSV lines epoch-ms,line,value; line a (street side) or b, value 1 = beam broken, 0 = clear.
        Edges may be out of order by up to 50 ms. Blank lines and a line of column names are skipped.
Output: {"at":<epoch ms>,"direction":"in"|"out"}

Example:
  printf '1000,a,1\\n1200,b,1\\n1400,a,0\\n1600,b,0\\n' | agent detect

Exit codes: 0 done, 1 a line cannot be read; the crossings before it are printed.`;

const enrolHelp = `
The code is for one server; nothing is sent to another one. If you repeat the command, even after a power cut, it
continues the same enrolment without another use of the code. With the file of the package, its service restarts.

Exit codes: 0 enrolled, 1 the server is unavailable (try again), 2 refused, another server, or wrong usage.`;

const deliverHelp = `
The folder is not changed and may be read-only. The service of this unit takes the journal over and delivers it, also if you
interrupt the command. Crossings that the server has are not counted again, so you may repeat it.
Exit codes: 0 all delivered, 1 not all (try again), 2 refused, or wrong usage.`;

const wipeHelp = '\nExit codes: 0 wiped, 1 nothing removed (with reason), 2 a setting cannot be used.';

const program = new Command('agent')
  .description('The counter unit: beams, detector, journal, uplink.')
  .version(manifest.version, '--version', 'print the version')
  /* A wrong command line ends with the same exit code as a setting that cannot be used. */
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));

/* Each command loads its code only when it runs, which saves memory on a counting unit. */

program
  .command('run')
  .description('Count: watch the beams, journal every crossing, deliver the journal to the server.')
  .requiredOption(
    '--config <file.yaml>',
    'configuration file; relative paths in it start from its folder',
    configOption[2],
  )
  .addHelpText('after', runHelp)
  .action(async ({ config }) => (await import('./commands/run.ts')).run(config, process.env));
program
  .command('detect')
  .description('Read an edge trace on standard input, print one JSON line per crossing.')
  .addHelpText('after', detectHelp)
  .action(async () =>
    exitWith((await import('./commands/traces.ts')).detect(process.stdin, process.stdout, process.stderr)),
  );
configured('enrol', 'Enrol a door at the server with a code; write server, serial and secret into the file.')
  .requiredOption('--server <https://host>', 'address of the server')
  .option(
    '--code-file <file>',
    'file with the code that `admin enrolment create` printed; without it, the command asks',
  )
  .option('--code <code>', 'the code itself, which every user of this machine can then see')
  .option('--serial <serial>', 'serial number; default: that of the file, or of this machine')
  .addHelpText('after', enrolHelp)
  .action(async (options) => exitWith((await import('./commands/enrol.ts')).enrol(options, process)));
configured('deliver', 'Deliver the pending crossings of the unit that this one has replaced.')
  .argument('<journal>', 'folder of its journal; on its card var/lib/counter-agent/journal')
  .option(...doorOption)
  .addHelpText('after', deliverHelp)
  .action(async (folder, options) =>
    exitWith((await import('./commands/deliver.ts')).deliver(folder, options, process)),
  );
configured('wipe', 'Remove the identity of this unit and all its crossings, to give it away or use it again.')
  .option('--discard-pending', 'wipe even while crossings are pending: they will never be counted')
  .option('--yes', 'do not ask')
  .addHelpText('after', wipeHelp)
  .action(async (options) => exitWith((await import('./commands/wipe.ts')).wipe(options, process)));
configured('doctor', 'Check everything that a unit needs; say what to do about each problem.').action(
  async (options) => exitWith((await import('./doctor/doctor.ts')).doctor(options, process)),
);
configured('watch', 'Show the beams, the path of each person and the counts, live; for aligning.')
  .option(...doorOption)
  .action(async (options) => exitWith((await import('./commands/watch.ts')).watch(options, process)));
configured('learn', 'Walk in three times: finds swapped beams and inverted levels, corrects the file.')
  .option(...doorOption)
  .action(async (options) => exitWith((await import('./commands/learn.ts')).learn(options, process)));
configured(
  'record',
  'Write the edges that the running agent sees as a trace that `detect` reads, until Ctrl-C.',
)
  .option(...doorOption)
  .option('--out <file.csv>', 'file to write; default: standard output')
  .action(async (options) => exitWith((await import('./commands/traces.ts')).record(options, process)));
configured('status', 'Show the state of the running agent.')
  .option('--json', 'as JSON')
  .option('--check', 'print only what does not work; exit code 1 if there is anything')
  .action(async (options) => exitWith((await import('./commands/status.ts')).status(options, process)));
configured('identify', 'Blink the light of this unit for half a minute.')
  .option(...doorOption)
  .action(async (options) => exitWith((await import('./commands/status.ts')).identify(options, process)));

await program.parseAsync();

/** A command that reads the configuration file. */
function configured(name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .requiredOption(...configOption);
}

/**
 * Ends with the exit code of a command: 2 if a setting cannot be used. When the reader of its output has closed the
 * pipe, as `head` does, the command ends immediately and quietly.
 */
async function exitWith(command: Promise<number>): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  try {
    process.exitCode = await command;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
}
