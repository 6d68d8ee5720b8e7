import { execFileSync } from 'node:child_process';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';

/** Signs the files of a release with gpg. The same keys, text and time give the same bytes. */
export interface Signer {
  /** The public keys in armour, as `signed-by` of apt reads it. */
  readonly publicKey: string;
  /** A signature of the text, in armour, for a file of its own. */
  readonly detached: (text: string) => string;
  /** The text with its signature below it. */
  readonly clear: (text: string) => string;
}

/** Private keys in a keyring of gpg. */
export interface SigningKeys {
  /** Fingerprints or user IDs. Each key signs, so that machines may trust any of them. */
  readonly names: readonly string[];
  /** The folder of gpg; GNUPGHOME or ~/.gnupg when left out. */
  readonly home?: string;
}

/**
 * The signer of a release at an instant (epoch seconds), usually that of the commit. A key that was made later signs with
 * the instant at which it was made, because no program accepts a signature that is older than its key. Throws
 * ConfigurationError.
 */
export function openSigner({ names, home }: SigningKeys, time: number): Signer {
  const gpg = (args: readonly string[], input = '') => {
    const options = [...(home === undefined ? [] : ['--homedir', home]), '--batch', '--armor'];
    return execFileSync('gpg', [...options, ...args], { input, encoding: 'utf8', stdio: 'pipe' });
  };
  const made = names.map((name) => creationOf(name, gpg));
  const frozen = ['--faked-system-time', `${Math.max(time, ...made)}!`];
  const sign = [...frozen, ...names.flatMap((name) => ['--local-user', name])];
  return {
    publicKey: gpg(['--export-options', 'export-minimal', '--export', ...names]),
    detached: (text) => gpg([...sign, '--detach-sign'], text),
    clear: (text) => gpg([...sign, '--clear-sign'], text),
  };
}

/** When a private key was made (epoch seconds). */
function creationOf(name: string, gpg: (args: readonly string[]) => string): number {
  try {
    const [, seconds] =
      /^sec(?::[^:]*){4}:(\d+):/m.exec(gpg(['--with-colons', '--list-secret-keys', name])) ?? [];
    return Number(seconds);
  } catch (error) {
    const expected = `a private key in the keyring of gpg (docs/releases.md): ${error}`;
    throw new ConfigurationError('--key', name, expected);
  }
}
