import type { CrossingTrace } from './read-crossing.ts';

/** An operation or route of the interface, and with what it shows the crossing. */
interface VisibleIn {
  readonly name: string;
  readonly how: string;
}

/** Where callers find the crossing now, if their credential opens its store. */
export function visibleIn({ state, device, crossing }: CrossingTrace): VisibleIn[] {
  if (crossing === undefined) return [];
  const all = {
    name: '/v1/crossings',
    how: state === 'voided' ? 'as voided' : `store ${crossing.store.sid}`,
  };
  if (state !== 'counted') return [all];
  const { store, answer, projection } = crossing;
  const { date } = answer.day;
  const days = `DateFrom and DateTo ${date}`;
  const isApplied = projection.pendingSince === null;
  return [
    { name: 'GetCountsByCompanyAndDatePublic', how: days },
    { name: 'GetCountsBySerialNumberAndDatePublic', how: `SerialNumber ${device.serial}, ${days}` },
    ...store.groups.map((group) => ({
      name: 'GetCountsByShopGroupAndDatePublic',
      how: `ShopGroupName ${group}, ${days}`,
    })),
    ...(isApplied && answer.isToday
      ? [
          { name: 'GetAllCountsByCompanyForTodayPublic', how: 'in the Amount of its store' },
          { name: '/v1/occupancy', how: 'in the occupancy of its store' },
          { name: '/v1/live', how: 'in the occupancy of its store' },
        ]
      : []),
    ...(isApplied ? [{ name: '/v1/counts', how: `from and to ${date}` }] : []),
    all,
  ];
}
