import { createHash, type X509Certificate } from 'node:crypto';

/**
 * SHA-256 of a certificate's public key (its SubjectPublicKeyInfo, DER, as RFC 7469 pins keys): stays the same when
 * the certificate is renewed with its key.
 */
export function keyHash({ publicKey }: X509Certificate): Buffer {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest();
}
