import { styleText } from 'node:util';
import type { StoreNow } from '../company/occupancy-now.ts';

/** The stores, their local time, the people inside, and when the number last changed. */
export function liveTable(
  stores: readonly StoreNow[],
  timeZones: ReadonlyMap<string, string>,
  now: number,
): string {
  const width = Math.max(...stores.map(({ StoreName }) => StoreName.length), 5);
  const rows = stores.map(({ StoreName, DateTime, Amount }) => {
    const time = localTime(now, timeZones.get(StoreName) ?? 'UTC');
    return `${StoreName.padEnd(width)}  ${time}  ${styleText('bold', String(Amount).padStart(6))}   ${since(DateTime, now)}`;
  });
  const head = `${'Store'.padEnd(width)}  local  inside   last movement`;
  return [styleText('dim', head), ...rows, '', styleText('dim', 'Ctrl-C stops everything.')].join('\n');
}

function localTime(now: number, timeZone: string): string {
  return new Date(now).toLocaleTimeString('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });
}

function since(dateTime: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(dateTime)) / 1_000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  return `${Math.floor(seconds / 3_600)} h ago`;
}
