import type { Database } from '@visitor-counter/database/connect';
import type { Authorize } from '../access/authorize.ts';
import type { ExportSlots } from './export-slots.ts';
import { getAllCountsByCompanyForTodayPublic } from './get-all-counts-by-company-for-today-public.ts';
import { getCountsByCompanyAndDatePublic } from './get-counts-by-company-and-date-public.ts';
import { getCountsBySerialNumberAndDatePublic } from './get-counts-by-serial-number-and-date-public.ts';
import { getCountsByShopGroupAndDatePublic } from './get-counts-by-shop-group-and-date-public.ts';
import { getLifeSignalInactive } from './get-life-signal-inactive.ts';
import type { Operation } from './operation.ts';

/** What the operations work with. */
export interface Resources {
  readonly database: Database;
  readonly authorize: Authorize;
  readonly exports: ExportSlots;
  /** Epoch ms. */
  readonly now: () => number;
}

/** The five operations of the interface document, in its order. */
export function allOperations(resources: Resources): readonly Operation[] {
  return [
    getLifeSignalInactive(resources),
    getAllCountsByCompanyForTodayPublic(resources),
    getCountsByShopGroupAndDatePublic(resources),
    getCountsBySerialNumberAndDatePublic(resources),
    getCountsByCompanyAndDatePublic(resources),
  ];
}
