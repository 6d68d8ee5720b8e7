import { givenSecret } from '@visitor-counter/service/given-secret';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { Command, CommanderError, Option } from 'commander';
import { packageAgent } from './agent/package-agent.ts';
import { readCards } from './card/card-files.ts';
import { packageSd } from './card/package-sd.ts';
import { refuseLicences, shippedPackages } from './dependencies/shipped.ts';
import { type Architecture, architectures } from './program/runtimes.ts';
import type { PackageOptions } from './program/write-package.ts';
import { buildRelease } from './release/build-release.ts';
import { writeImageFiles } from './server/bundle-server.ts';
import { packageServer } from './server/package-server.ts';

const program = new Command('packaging')
  .description('Builds the packages and the cards of counter units and servers.')
  .exitOverride();

buildCommand('agent', 'the Debian package of the agent', 'arm64', async (options) => {
  return (await packageAgent(options)).path;
});
buildCommand('server', 'the Debian package of the server', 'amd64', async (options) => {
  return (await packageServer(options)).path;
});

program
  .command('image-files')
  .description('Write the programs of the server and the page to a folder; the Dockerfile runs it.')
  .requiredOption('--out <folder>', 'where to write them')
  .action(({ out }) => writeImageFiles(out));

program
  .command('sd')
  .description('Write the folder of files for the boot partition of a flashed card.')
  .requiredOption('--out <folder>', 'where to write them')
  .requiredOption('--server <https://host>', 'the address at which units enrol')
  .option(
    '--batch <cards.yaml>',
    'a folder for each card in this file: a list `cards`, each with a label and a code',
  )
  .addOption(
    ofOneCard(
      '--code-file <file>',
      'file with the code that `admin enrolment create` printed; without it, the command asks',
    ),
  )
  .addOption(ofOneCard('--code <code>', 'the code itself; every user of this machine can see it'))
  .option('--wifi-file <file>', 'a file with name:password of a wireless network; a cable needs no setting')
  .addOption(
    new Option('--wifi <name:password>', 'the same; every user of this machine can see it').conflicts(
      'wifiFile',
    ),
  )
  .option('--country <code>', 'country of the wireless network', 'DE')
  .option('--ssh-key <file>', 'public key of the person who may log in as `installer`')
  .option('--releases <https://host>', 'the address of the releases, from which the unit gets updates')
  .option('--release-key <file>', 'the key that has signed them: visitor-counter.asc')
  .option('--unit <file.yaml>', 'configuration of the unit, if its beams are not at GPIO17 and GPIO27')
  .addOption(
    ofOneCard(
      '--serial <serial>',
      'serial number of the replaced unit, or of a PC; a Raspberry Pi has its own',
    ),
  )
  .addOption(processor('arm64'))
  .action(async ({ arch, out, code: value, codeFile: file, wifiFile, batch, ...given }) => {
    const wifi =
      wifiFile && (await givenSecret({ file: wifiFile, setting: '--wifi-file', prompt: '' }, process));
    const cards =
      batch !== undefined
        ? await readCards(batch, out)
        : [{ folder: out, code: await givenSecret({ value, file, prompt: 'Enrolment code: ' }, process) }];
    await packageSd(cards, { architecture: arch, onStep, ...given, ...(wifi && { wifi }) });
    console.log('Copy everything in these folders to the boot partitions (bootfs) of their cards:');
    for (const { folder } of cards) console.log(folder);
  });

program
  .command('release')
  .description(
    'Build a release: the signed repository for apt, the files for cards, the SBOM, licences, notes, checksums. ' +
      'The same commit and key give the same bytes.',
  )
  .option('--out <folder>', 'where to write it; an earlier release there is replaced', 'dist/release')
  .option('--key <names...>', 'the keys of gpg that sign it: fingerprints or user IDs', [
    'Visitor Counter releases',
  ])
  .option('--pool <folder>', 'packages of earlier versions, which the repository lists too')
  .option(
    '--trial',
    'also with changes that are not committed, and of a version that is not released yet',
    false,
  )
  .addOption(new Option('--arch <names...>', 'processors').choices(architectures).default([...architectures]))
  .action(async ({ out, key, arch, pool, trial: isTrial }) => {
    await buildRelease({ out, architectures: arch, keys: { names: key }, pool, isTrial, onStep });
    console.log(out);
  });

program
  .command('licences')
  .description('Check the licences of all third-party packages in a release.')
  .action(async () => refuseLicences(await shippedPackages()));

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof ConfigurationError) console.error(error.message);
  else if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error instanceof CommanderError && error.exitCode === 0 ? 0 : 2;
}

/** Progress goes to standard error; standard output is the result. */
function onStep(step: string): void {
  console.error(`${step} …`);
}

/** A command that builds one file and prints its path. */
function buildCommand(
  name: string,
  what: string,
  usual: Architecture,
  build: (options: PackageOptions) => Promise<string>,
): void {
  program
    .command(name)
    .description(`Build ${what}; prints its path. The same commit gives the same bytes.`)
    .addOption(processor(usual))
    .option('--out <folder>', 'where to write it', 'dist')
    .option('--version <version>', 'its version (default: that of the program)', versionOf)
    .action(async ({ arch, ...options }) => {
      console.log(await build({ architecture: arch, onStep, ...options }));
    });
}

/** A version as Debian accepts it. */
function versionOf(text: string): string {
  if (/^\d[A-Za-z0-9.+~-]*$/.test(text)) return text;
  throw new ConfigurationError('--version', text, 'a version such as 1.2.3');
}

/** An option that the cards of a batch have in their file. */
function ofOneCard(flags: string, description: string): Option {
  return new Option(flags, description).conflicts('batch');
}

function processor(usual: Architecture): Option {
  return new Option('--arch <name>', 'processor: arm64 for a Raspberry Pi')
    .choices(architectures)
    .default(usual);
}
