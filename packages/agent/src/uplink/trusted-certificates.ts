import { getCACertificates } from 'node:tls';

let trusted: readonly string[] | undefined;

/** Those that Node brings, and those that were added to the system, as by update-ca-certificates. */
export async function trustedCertificates(): Promise<readonly string[]> {
  trusted ??= [...new Set([...getCACertificates('bundled'), ...getCACertificates('system')])];
  return trusted;
}
