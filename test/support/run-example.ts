import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ServedCompany } from './served-company.ts';

/** The path of a program in docs/examples. */
export function exampleFile(name: string): string {
  return fileURLToPath(new URL(`../../docs/examples/${name}`, import.meta.url));
}

/**
 * Runs an example as its first lines describe, for the day of the company's events, and returns its output.
 * Rejects when it ends with an error.
 */
export async function runExample(
  [program = '', ...args]: readonly string[],
  { wsdl, authorization }: ServedCompany,
  token = 'token-of-the-company',
): Promise<string> {
  const settings = {
    BASE: wsdl.replace('?WSDL', ''),
    COMPANY: 'Bath & Body',
    TOKEN: token,
    KEY: authorization,
  };
  const env = { ...process.env, ...settings };
  const { stdout } = await promisify(execFile)(program, [...args, '2025-11-20'], { env });
  return stdout;
}

const store = 'Tür <1> "日本" \u{1f6aa}';

/** The expected output of the examples in programming languages for the served company. */
export const examplePrints = [
  `now: 0 in ${store}`,
  `2025-11-20T10:15:30.123+01:00: 1 in ${store}`,
  `2025-11-20T10:16:00.000+01:00: 2 in ${store}`,
  `2025-11-20T10:17:00.000+01:00: 1 in ${store}`,
  `silent: CU-0002 in ${store} since 2025-11-19T07:00:00.000+01:00`,
  '',
].join('\n');
