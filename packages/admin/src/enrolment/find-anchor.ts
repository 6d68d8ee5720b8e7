import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';

/** One certificate in a PEM file. */
const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * The certificate by which units identify the server: the last one in the server's certificate file, or the public root
 * that has signed it. Throws ConfigurationError.
 */
export async function findAnchor(setting: string, file: string): Promise<X509Certificate> {
  const last = (await readCertificates(setting, file)).at(-1);
  if (last === undefined) throw new ConfigurationError(setting, file, 'a PEM file with certificates');
  if (isSignedBy(last, last)) return last;
  const roots = rootCertificates.map((pem) => new X509Certificate(pem));
  return roots.find((root) => isSignedBy(last, root)) ?? last;
}

async function readCertificates(setting: string, file: string): Promise<X509Certificate[]> {
  try {
    const pems = (await readFile(file, 'utf8')).match(certificate) ?? [];
    return pems.map((pem) => new X509Certificate(pem));
  } catch {
    throw new ConfigurationError(setting, file, 'a PEM file with certificates');
  }
}

function isSignedBy(one: X509Certificate, issuer: X509Certificate): boolean {
  return one.checkIssued(issuer) && one.verify(issuer.publicKey);
}
