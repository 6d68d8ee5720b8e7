import type { Authorize } from '../access/authorize.ts';
import type { Parameters } from '../parameters/parameters.ts';

/** What every count operation is let in by. */
export interface TokenValues {
  readonly CompanyName: string;
  readonly Token: string;
}

/** The id of the company whose counts the call's Token opens. Throws `invalid_credential`. */
export function companyOfToken(authorize: Authorize, parameters: Parameters<TokenValues>): Promise<number> {
  return authorize({
    kind: 'counts',
    credential: parameters.text('Token'),
    companyName: parameters.text('CompanyName'),
  });
}
