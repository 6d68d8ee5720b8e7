import * as ofHttp from '../problems/http-problems.ts';
import * as limits from '../problems/limit-problems.ts';
import type { Problem } from '../problems/problem.ts';
import * as problems from '../problems/problems.ts';

/** One of every problem there is: the compiler finds the one that is forgotten. */
const catalogue: Readonly<
  Record<keyof typeof problems | keyof typeof limits | keyof typeof ofHttp, Problem>
> = {
  missingParameter: problems.missingParameter('Token'),
  duplicateParameter: problems.duplicateParameter('Token'),
  invalidParameter: problems.invalidParameter(
    'InactiveForHours',
    'a decimal number above 0, such as 24 or 2.5',
  ),
  invalidDateRange: problems.invalidDateRange(),
  invalidCredential: problems.invalidCredential(),
  unknownShopGroup: problems.unknownShopGroup(),
  unknownSerialNumber: problems.unknownSerialNumber(),
  malformedBody: problems.malformedBody('The body is not JSON.'),
  malformedRequest: ofHttp.malformedRequest(),
  notFound: problems.notFound(),
  methodNotAllowed: problems.methodNotAllowed('POST'),
  requestTimeout: ofHttp.requestTimeout(),
  payloadTooLarge: problems.payloadTooLarge(65_536),
  unsupportedMediaType: problems.unsupportedMediaType(),
  unsupportedContentEncoding: ofHttp.unsupportedContentEncoding(),
  expectationFailed: ofHttp.expectationFailed(),
  headersTooLarge: ofHttp.headersTooLarge(),
  tooManyExports: limits.tooManyExports(5),
  tooManyRequests: limits.tooManyRequests(1),
  tooManyFailures: limits.tooManyFailures(1),
  databaseTooSlow: problems.databaseTooSlow(),
  databaseUnavailable: problems.databaseUnavailable(),
  internalError: problems.internalError(),
};

/** The problems by their status, in ascending order. */
export const problemsByStatus: ReadonlyMap<number, readonly Problem[]> = Map.groupBy(
  Object.values(catalogue).toSorted((a, b) => a.record.status - b.record.status),
  ({ record }) => record.status,
);
