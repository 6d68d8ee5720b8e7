import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ConfigurationError } from '../settings/configuration-error.ts';

const begin = '-----BEGIN CERTIFICATE-----';

/**
 * Reads certificates of authorities, PEM. Throws a ConfigurationError naming the setting unless each can be
 * used: OpenSSL skips certificates that it cannot read, and would then trust fewer authorities, or none.
 */
export async function readAuthorities(setting: string, file: string): Promise<Buffer> {
  const pem = await readFile(file).catch(() => {
    throw new ConfigurationError(setting, file, 'a file that can be read');
  });
  const reason = faultOf(pem.toString('latin1'));
  if (reason === undefined) return pem;
  throw new ConfigurationError(setting, file, `one or more certificates in PEM (${reason})`);
}

/** Why the content of the file cannot be used; undefined if it can. */
function faultOf(text: string): string | undefined {
  const blocks = text.split(/^(?=-----BEGIN CERTIFICATE-----)/m).filter((part) => part.startsWith(begin));
  if (blocks.length === 0) return 'there is none';
  if (endsInBegin(text)) return 'the file is not whole';
  const at = blocks.findIndex((block) => !isCertificate(block));
  return at < 0 ? undefined : `number ${at + 1} cannot be read`;
}

function endsInBegin(text: string): boolean {
  const last = text.slice(text.lastIndexOf('\n') + 1);
  return last !== '' && begin.startsWith(last);
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).raw.length > 0;
  } catch {
    return false;
  }
}
