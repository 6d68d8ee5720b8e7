import { tooMany, tooManyListeners, tooManyOfCompany } from '../problems/problems.ts';
import { Places } from './places.ts';

/** Answers of /v1 and of the operations that are made at a time, other than ranges. */
export const answersAtATime = 8;

/** Requests of one company that wait for a place; further ones are refused immediately. */
const mostWaiting = 100;

/** The places of companies. `exports`, `streams`: how many at a time. `maxWait`: ms. */
export function companyPlaces(
  limits: { readonly exports: number; readonly streams: number },
  maxWait: number,
) {
  const waiting = { waiting: mostWaiting, maxWait };
  const seconds = Math.ceil(maxWait / 1_000);
  return {
    exports: new Places({ ...waiting, all: limits.exports, refusal: () => tooMany('exports', seconds) }),
    answers: new Places({ ...waiting, all: answersAtATime, refusal: () => tooManyOfCompany(seconds) }),
    streams: new Places({ all: limits.streams, waiting: 0, maxWait: 0, refusal: tooManyListeners }),
  };
}
