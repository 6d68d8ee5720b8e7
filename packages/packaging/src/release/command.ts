import { writeFile } from 'node:fs/promises';
import { codeOf } from '@visitor-counter/service/errors';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { Command, Option } from 'commander';
import { architectures } from '../program/runtimes.ts';
import { makeKey } from '../repository/signing-key.ts';
import { buildRelease } from './build-release.ts';

/** `release`: everything that is published of a version. */
export function releaseCommand(onStep: (step: string) => void): Command {
  return new Command('release')
    .description(
      'Build a release: the signed repository for apt, the files for cards, what it contains, licences, notes, checksums. ' +
        'The same commit and key give the same bytes.',
    )
    .option('--out <folder>', 'where to write it; it is replaced', 'dist/release')
    .option(
      '--key-file <file>',
      'private key that signs it (default: $RELEASE_KEY_FILE, or the key in $RELEASE_KEY)',
    )
    .option('--allow-changes', 'build a checkout with changes that are not committed', false)
    .addOption(
      new Option('--arch <names...>', 'processors').choices(architectures).default([...architectures]),
    )
    .action(async ({ out, keyFile: file, arch, allowChanges }) => {
      await buildRelease({ out, architectures: arch, key: { file, env: process.env }, allowChanges, onStep });
      console.log(out);
    });
}

/** `release-key`: a key for `release`. */
export function releaseKeyCommand(): Command {
  return new Command('release-key')
    .description('Make a private key that signs releases; $RELEASE_KEY_PASSPHRASE locks it.')
    .requiredOption('--out <file>', 'the file to write; it must not exist')
    .action(async ({ out }) => {
      const key = await makeKey(process.env['RELEASE_KEY_PASSPHRASE']);
      await writeFile(out, key, { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
        const reason = codeOf(error) ?? error;
        throw new ConfigurationError('--out', out, `a new file (${reason})`);
      });
    });
}
