import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CertificateFiles } from '@visitor-counter/service/certificates';
import { type Certificate, createAuthority, createCertificate } from '@visitor-counter/test/certificates';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';

interface WritableFiles {
  readonly files: CertificateFiles;
  readonly write: (certificate: Certificate) => Promise<void>;
}

/** The files of the api's certificate, which do not exist yet. */
export async function certificateFiles(): Promise<WritableFiles> {
  const folder = await temporaryFolder();
  const files = {
    settings: 'HTTP_TLS',
    certFile: join(folder, 'cert.pem'),
    keyFile: join(folder, 'key.pem'),
  };
  const write = async ({ cert, key }: Certificate) => {
    await writeFile(files.certFile, cert);
    await writeFile(files.keyFile, key);
  };
  return { files, write };
}

/** Existing files of a certificate of an authority of their own. */
export async function newCertificate(): Promise<WritableFiles & { readonly ca: Certificate }> {
  const ca = await createAuthority('company');
  const { files, write } = await certificateFiles();
  await write(await createCertificate(ca, 'api'));
  return { files, write, ca };
}
