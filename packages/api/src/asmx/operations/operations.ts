import {
  getAllCountsByCompanyForTodayPublic,
  description as today,
} from './get-all-counts-by-company-for-today-public.ts';
import {
  description as bySerialNumber,
  getCountsBySerialNumberAndDatePublic,
} from './get-counts-by-serial-number-and-date-public.ts';
import {
  description as byShopGroup,
  getCountsByShopGroupAndDatePublic,
} from './get-counts-by-shop-group-and-date-public.ts';
import { getLifeSignalInactive, description as lifeSignal } from './get-life-signal-inactive.ts';
import type { Operation, OperationDescription, Resources } from './operation.ts';
import { description as byCompany, getCountsByCompanyAndDatePublic } from './range-operations.ts';

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

/** The descriptions of the five operations, in the order of the interface document. */
export const descriptions: readonly OperationDescription[] = [
  lifeSignal,
  today,
  byShopGroup,
  bySerialNumber,
  byCompany,
];
