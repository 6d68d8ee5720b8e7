import { getAllCountsByCompanyForTodayPublic } from './get-all-counts-by-company-for-today-public.ts';
import { getLifeSignalInactive } from './get-life-signal-inactive.ts';
import type { Operation } from './operation.ts';
import {
  getCountsByCompanyAndDatePublic,
  getCountsBySerialNumberAndDatePublic,
  getCountsByShopGroupAndDatePublic,
} from './range-operations.ts';

/** The five operations of the interface document, in its order. */
export const operations: readonly Operation[] = [
  getLifeSignalInactive,
  getAllCountsByCompanyForTodayPublic,
  getCountsByShopGroupAndDatePublic,
  getCountsBySerialNumberAndDatePublic,
  getCountsByCompanyAndDatePublic,
];
