import { X509Certificate } from 'node:crypto';
import { resolve } from 'node:path';
import { rootCertificates } from 'node:tls';
import { certificatesIn, keyHash, readAuthorities } from '@visitor-counter/service/certificates';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { CommandContext } from '../command/context.ts';

/** How units identify the server: the SHA-256 of the key of a certificate, and its subject. */
export interface ServerIdentity {
  readonly serverKeyHash: Uint8Array;
  readonly server: string;
}

/**
 * The identity of the server whose certificates are in `file`, HTTP_TLS_CERT if left out: the last certificate in it, or the
 * public root that has signed it. Throws ConfigurationError.
 */
export async function identityOfServer(
  { env, folder }: CommandContext,
  file = env['HTTP_TLS_CERT'],
): Promise<ServerIdentity> {
  const expected = 'the PEM file with the certificates of the server';
  if (file === undefined) throw new ConfigurationError('--certificate', undefined, expected);
  const path = resolve(folder, file);
  const last = certificatesIn(String(await readAuthorities('--certificate', path))).at(-1);
  if (last === undefined) throw new ConfigurationError('--certificate', path, expected);
  const roots = rootCertificates.map((pem) => new X509Certificate(pem));
  const root = isSignedBy(last, last) ? last : roots.find((one) => isSignedBy(last, one));
  const anchor = root ?? last;
  return { serverKeyHash: keyHash(anchor), server: anchor.subject.replaceAll('\n', ', ') };
}

function isSignedBy(one: X509Certificate, issuer: X509Certificate): boolean {
  return one.checkIssued(issuer) && one.verify(issuer.publicKey);
}
