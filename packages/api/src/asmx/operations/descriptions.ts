import { description as today } from './get-all-counts-by-company-for-today-public.ts';
import { description as byCompany } from './get-counts-by-company-and-date-public.ts';
import { description as bySerialNumber } from './get-counts-by-serial-number-and-date-public.ts';
import { description as byShopGroup } from './get-counts-by-shop-group-and-date-public.ts';
import { description as lifeSignal } from './get-life-signal-inactive.ts';
import type { OperationDescription } from './operation.ts';

/** What the five operations say of themselves, in the order of the interface document. */
export const descriptions: readonly OperationDescription[] = [
  lifeSignal,
  today,
  byShopGroup,
  bySerialNumber,
  byCompany,
];
