import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * The stored hash of a secret of a device or credential. Secrets are random, so a single SHA-256 does not reveal
 * them.
 */
export function hashSecret(secret: string | Uint8Array): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** A new secret of 192 random bits, in characters that need no quoting in URLs, forms, YAML or shells. */
export function generateSecret(): string {
  return randomBytes(24).toString('base64url').replace(/^-/, 'A');
}

/** Compares in constant time. */
export function secretMatches(secret: string | Uint8Array, hash: Uint8Array): boolean {
  return timingSafeEqual(hashSecret(secret), hash);
}
