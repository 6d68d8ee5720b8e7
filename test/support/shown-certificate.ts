import { createAuthority, createCertificate } from './certificates.ts';

/** In ms. */
export const day = 86_400_000;
/** The unit's present (epoch ms). */
export const now = Date.now();
export const ever = {
  notBeforeDate: new Date(now - 5_000 * day),
  notAfterDate: new Date(now + 5_000 * day),
};

/** What a server with TLS shows to a unit. */
export interface Shown {
  /** When its certificate is valid, in days from the unit's present. */
  readonly valid: readonly [number, number];
  /** Another authority has signed it, with the name of the right one. */
  readonly hasOtherSigner?: boolean;
  readonly isForAnotherName?: boolean;
}

/** The certificate of a server, the authority that a unit trusts, and the host at which the server is. */
export async function shownCertificate({ valid, hasOtherSigner, isForAnotherName }: Shown) {
  const ca = await createAuthority('company', ever);
  const signer = hasOtherSigner ? await createAuthority('company', ever) : ca;
  const certificate = await createCertificate(signer, 'gateway', ['localhost'], {
    notBeforeDate: new Date(now + valid[0] * day),
    notAfterDate: new Date(now + valid[1] * day),
  });
  return { ca, certificate, host: isForAnotherName ? '127.0.0.2' : '127.0.0.1' };
}
