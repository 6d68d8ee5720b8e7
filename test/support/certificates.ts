import { generate } from 'selfsigned';

/** A certificate and its key, PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** The validity of a certificate; one year from now when left out. */
export interface Validity {
  readonly notBeforeDate?: Date;
  readonly notAfterDate?: Date;
}

const common = { keyType: 'ec', algorithm: 'sha256' } as const;

/** A certificate that signs others; `pathLength`: how many authorities may be below it. */
export async function createAuthority(
  name: string,
  validity: Validity = {},
  { signer, pathLength }: { readonly signer?: Certificate; readonly pathLength?: number } = {},
): Promise<Certificate> {
  const limit = pathLength === undefined ? {} : { pathLenConstraint: pathLength };
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
    ...common,
    ...validity,
    ...(signer && { ca: signer }),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true, ...limit },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return { cert, key };
}

/** A certificate for a common name, for 127.0.0.1 and for DNS names, signed by an authority. */
export async function createCertificate(
  ca: Certificate,
  commonName: string,
  dnsNames: readonly string[] = [],
  validity: Validity = {},
): Promise<Certificate> {
  const altNames = dnsNames.map((value) => ({ type: 2 as const, value }));
  const { cert, private: key } = await generate([{ name: 'commonName', value: commonName }], {
    ...common,
    ...validity,
    ca,
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }, ...altNames] },
    ],
  });
  return { cert, key };
}
