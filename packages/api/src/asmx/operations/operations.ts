import { getAllCountsByCompanyForTodayPublic } from './get-all-counts-by-company-for-today-public.ts';
import { getCountsByCompanyAndDatePublic } from './get-counts-by-company-and-date-public.ts';
import { getCountsBySerialNumberAndDatePublic } from './get-counts-by-serial-number-and-date-public.ts';
import { getCountsByShopGroupAndDatePublic } from './get-counts-by-shop-group-and-date-public.ts';
import { getLifeSignalInactive } from './get-life-signal-inactive.ts';
import type { Operation } from './operation.ts';
import type { Resources } from './resources.ts';

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
