import type { CompanyDiskLimit } from '@visitor-counter/database/alerts/devices-with-low-disk';
import { defaultDiskLimit, parseDiskLimit } from '@visitor-counter/domain/disk-room';
import { aboutDevice, type Condition, identityOf } from './condition.ts';
import type { Facts } from './facts.ts';

/** The disk limit of each company with a rule for disks. */
export function diskLimits({ rules }: Pick<Facts, 'rules'>): CompanyDiskLimit[] {
  return rules.flatMap(({ kind, companyId, threshold }) => {
    if (kind !== 'disk-low') return [];
    const { bytes = 0, percent = 0 } = parseDiskLimit(threshold ?? '') ?? defaultDiskLimit;
    return { companyId, bytes, percent };
  });
}

/** Units whose disks are nearly full. An alert remains open until a tenth more than the limit is free. */
export function lowDisks({ lowDisks, open, now }: Facts): Condition[] {
  const known = new Set(open.map(identityOf));
  return lowDisks.flatMap((device) => {
    const { deviceId, companyId, diskFree, limit } = device;
    const alert = { companyId, kind: 'disk-low', subject: `${deviceId}` } as const;
    if (diskFree >= limit && !known.has(identityOf(alert))) return [];
    return { ...alert, ...aboutDevice(device, { diskFree }), beganAt: now };
  });
}
