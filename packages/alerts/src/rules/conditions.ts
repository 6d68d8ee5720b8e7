import { blockedBeams } from './blocked-beams.ts';
import type { Condition } from './condition.ts';
import { exceededLimits } from './exceeded-limits.ts';
import type { Facts } from './facts.ts';
import { failingStorage } from './failing-storage.ts';
import { fullStores } from './full-stores.ts';
import { gapAlerts } from './gap-alerts.ts';
import { inactiveDevices } from './inactive-devices.ts';
import { lowDisks } from './low-disks.ts';
import { oldVersions } from './old-versions.ts';
import { overdueStores } from './overdue-stores.ts';
import { serviceAway } from './service-away.ts';

/** Everything that companies want to be told and that is so now. */
export function conditionsIn(facts: Facts): Condition[] {
  return [
    inactiveDevices,
    blockedBeams,
    fullStores,
    overdueStores,
    exceededLimits,
    gapAlerts,
    lowDisks,
    oldVersions,
    failingStorage,
    serviceAway,
  ].flatMap((rule) => rule(facts));
}
