import type { Authorize } from '../access/authorize.ts';
import type { Parameters } from '../parameters/parameters.ts';

/** What every count operation asks for first, in the order of the document. */
export const tokenParameters = ['CompanyName', 'Token'] as const;

/** The id of the company whose counts the call's Token opens. Throws `invalid_credential`. */
export function companyOfToken(authorize: Authorize, parameters: Parameters): Promise<number> {
  return authorize({
    kind: 'counts',
    credential: parameters.text('Token'),
    companyName: parameters.text('CompanyName'),
  });
}
