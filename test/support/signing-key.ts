import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new private key that signs releases, in a keyring of gpg of its own; made in 2023, so that it can sign older commits. */
export function makeSigningKey(): { readonly names: readonly [string]; readonly home: string } {
  const home = mkdtempSync(join(tmpdir(), 'gpg-'));
  const name = 'Visitor Counter releases';
  const options = ['--homedir', home, '--batch', '--passphrase', '', '--faked-system-time', '1672531200'];
  execFileSync('gpg', [...options, '--quick-generate-key', name, 'ed25519', 'sign', 'never'], {
    stdio: 'pipe',
  });
  return { names: [name], home };
}
