import { Command } from 'commander';
import { endWithReader } from './commands/end-with-reader.ts';
import { addInstallerCommands } from './commands/installer-commands.ts';

const program = new Command('agent')
  .description('The counter unit: beams, detector, journal, uplink.')
  // A command line that cannot be used is a setting that cannot be used.
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));

program
  .command('run')
  .description('Count: watch the beams, journal every crossing, deliver the journal to the server.')
  .requiredOption(
    '--config <file.yaml>',
    'configuration file; relative paths in it start from its folder',
    process.env['COUNTER_CONFIG'],
  )
  .addHelpText(
    'after',
    `
Environment variables, of which the first four take precedence over the file:
  COUNTER_SERVER   URL of the server, such as mqtts://counter.example:8883
  COUNTER_SERIAL   serial number of this device
  COUNTER_SECRET   secret of this device
  COUNTER_JOURNAL  folder of the journal
  COUNTER_STATE    folder from which a relative journal of the file starts; the file's own when left out
  COUNTER_CONFIG   the configuration file, where --config is left out
  LOG_LEVEL        fatal, error, warn, info (default), debug, trace or silent

Logs are JSON lines on standard output. SIGTERM or SIGINT stops it cleanly.
Exit codes: 0 stopped by a signal, 1 failed, 2 a setting cannot be used.`,
  )
  .action(async ({ config }: { config: string }) => {
    const { run } = await import('./commands/run.ts');
    await run(config, process.env);
  });

program
  .command('detect')
  .description('Read an edge trace on standard input, print one JSON line per crossing.')
  .addHelpText(
    'after',
    `
Input:  CSV lines epoch-ms,line,value; line a (street side) or b, value 1 = beam broken, 0 = clear.
        Edges may be out of order by up to 50 ms. Blank lines and a line of column names are skipped.
Output: {"at":<epoch ms>,"direction":"in"|"out"}

Example:
  printf '1000,a,1\\n1200,b,1\\n1400,a,0\\n1600,b,0\\n' | agent detect

Exit codes: 0 done, 1 a line cannot be read; the crossings before it are printed.`,
  )
  .action(async () => {
    const { detect } = await import('./commands/detect.ts');
    endWithReader(process);
    process.exitCode = await detect(process);
  });

addInstallerCommands(program);

await program.parseAsync();
