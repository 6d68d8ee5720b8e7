import { missingParameter } from '../problems/problems.ts';

/**
 * The key in an `Authorization` header: `<key>`, or `Bearer <key>` with the scheme in any case.
 * Throws `missing_parameter`.
 */
export function keyOf(authorization: string | undefined): string {
  const key = authorization?.trim().replace(/^bearer(\s+|$)/i, '');
  if (!key) throw missingParameter('Authorization');
  return key;
}
