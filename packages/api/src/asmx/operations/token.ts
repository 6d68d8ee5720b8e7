import type { Access, Authorize } from '../../access/authorize.ts';
import type { ReadCall } from './operation.ts';

/** What every count operation is let in by. */
export interface TokenValues {
  readonly CompanyName: string;
  readonly Token: string;
}

/** What the call's Token opens. Throws what `authorize` throws. */
export function accessByToken(
  authorize: Authorize,
  { parameters, address }: ReadCall<TokenValues>,
): Promise<Access> {
  return authorize({
    kind: 'counts',
    credential: parameters.text('Token'),
    companyName: parameters.text('CompanyName'),
    address,
  });
}
