import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { rootCertificates } from 'node:tls';
import { certificatesIn, keyHash } from '@visitor-counter/service/certificates';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { InvalidArgumentError } from 'commander';
import { textOption } from '../command/command.ts';
import type { CommandContext } from '../command/context.ts';
import { parseExpires } from '../command/options.ts';

/** The latest expiry of a code: 90 days from now (ms). */
const longest = 90 * 86_400_000;

/** When a code expires (epoch ms). */
export const soon = {
  value: '<when>',
  description: '12h, 7d, 4w, a date or an instant, at most 90d',
  fallback: '7d',
  parse: (text: string): number => {
    const expires = parseExpires(text);
    if (expires !== null && expires <= Date.now() + longest) return expires;
    throw new InvalidArgumentError('Expected a time within 90 days: 12h, 7d, 4w, 2027-01-31 or an instant.');
  },
};

export const certificateOption = textOption(
  '<file.pem>',
  'the certificates of the server (default: HTTP_TLS_CERT)',
);

/** By what units identify the server: the SHA-256 of the key of a certificate, and its subject. */
interface ServerIdentity {
  readonly serverKeyHash: Uint8Array;
  readonly server: string;
}

/** The identity of the server whose certificates are in `file`, HTTP_TLS_CERT if left out. Throws ConfigurationError. */
export async function identityOfServer(
  { env, folder }: CommandContext,
  file = env['HTTP_TLS_CERT'],
): Promise<ServerIdentity> {
  const expected = 'the PEM file with the certificates of the server';
  if (!file) throw new ConfigurationError('--certificate', undefined, expected);
  const anchor = await findAnchor('--certificate', resolve(folder, file));
  return { serverKeyHash: keyHash(anchor), server: anchor.subject.replaceAll('\n', ', ') };
}

/**
 * The certificate by which units identify the server: the last one in the server's certificate file, or the public root
 * that has signed it. Throws ConfigurationError.
 */
async function findAnchor(setting: string, file: string): Promise<X509Certificate> {
  const certificates = await readFile(file, 'utf8')
    .then(certificatesIn)
    .catch(() => []);
  const last = certificates.at(-1);
  if (last === undefined) throw new ConfigurationError(setting, file, 'a PEM file with certificates');
  if (isSignedBy(last, last)) return last;
  const roots = rootCertificates.map((pem) => new X509Certificate(pem));
  return roots.find((root) => isSignedBy(last, root)) ?? last;
}

function isSignedBy(one: X509Certificate, issuer: X509Certificate): boolean {
  return one.checkIssued(issuer) && one.verify(issuer.publicKey);
}
