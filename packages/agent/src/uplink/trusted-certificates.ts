import { getCACertificates } from 'node:tls';

let trusted: readonly string[] | undefined;

/** The certificates of Node, and those added to the system, for example with update-ca-certificates. */
export async function trustedCertificates(): Promise<readonly string[]> {
  trusted ??= [...new Set([...getCACertificates('bundled'), ...getCACertificates('system')])];
  return trusted;
}
