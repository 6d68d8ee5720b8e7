import type { ApiInstruments } from '../http/api-instruments.ts';
import { Problem } from '../problems/problem.ts';
import type { Authorize } from './authorize.ts';

/** What a wrong credential is answered with. */
const refusals: ReadonlySet<string> = new Set(['invalid_credential', 'too_many_failures']);

/** The same, and what does not open what it was shown for is counted: somebody guesses, or has an old one. */
export function countingRefusals(authorize: Authorize, instruments: ApiInstruments): Authorize {
  return async (presented) => {
    try {
      return await authorize(presented);
    } catch (error) {
      if (error instanceof Problem && refusals.has(error.code)) instruments.credentialRefused(presented.kind);
      throw error;
    }
  };
}
