import { plain, table } from '../command/text.ts';
import type { DescribedDevice } from './described-device.ts';

/** Characters: longer names of stores and companies are truncated, serial numbers are not. */
const longestName = 12;

/**
 * Devices for people, within 80 columns if serial numbers are short; `now` is epoch ms. There is a column for the company
 * if there are several, and for the troubles if `trouble`.
 */
export function deviceTable(
  devices: readonly DescribedDevice[],
  now: number,
  options: { readonly trouble: boolean },
): string {
  const several = new Set(devices.map(({ company }) => company)).size > 1;
  const columns: Record<string, (device: DescribedDevice) => string> = {
    SERIAL: ({ serial }) => serial,
    ...(several && { COMPANY: ({ company }) => cut(company) }),
    STORE: ({ store }) => (store === null ? '-' : cut(store)),
    SEEN: (device) => seenText(device, now),
    VERSION: ({ version }) => text(version),
    CLOCK: ({ clock }) => text(clock),
    'DISK FREE': ({ diskFree }) => (diskFree === null ? unknown : bytesText(diskFree)),
    BACKLOG: ({ backlog }) => (backlog === null ? unknown : String(backlog)),
    BEAMS: beamsText,
    ...(options.trouble && { TROUBLE: ({ trouble }) => trouble.join(', ') }),
  };
  const cells = Object.values(columns);
  return table(
    Object.keys(columns),
    devices.map((device) => cells.map((cell) => cell(device))),
  );
}

const unknown = 'unknown';

function text(value: string | null): string {
  return value === null ? unknown : cut(plain(value));
}

function cut(name: string): string {
  const characters = [...new Intl.Segmenter().segment(name)].map(({ segment }) => segment);
  return characters.length <= longestName ? name : `${characters.slice(0, longestName - 1).join('')}…`;
}

function seenText({ retiredAt, secretRevokedAt, lastActivityAt, online }: DescribedDevice, now: number) {
  if (retiredAt) return 'retired';
  if (secretRevokedAt) return 'revoked';
  if (lastActivityAt === null) return 'never';
  return online ? 'online' : `${ageText(now - lastActivityAt.getTime())} ago`;
}

/** A duration (ms) in its largest unit. */
function ageText(age: number): string {
  const seconds = Math.max(0, Math.floor(age / 1_000));
  const [size, unit] = units.find(([least]) => seconds >= least) ?? [1, 's'];
  return `${Math.floor(seconds / size)}${unit}`;
}

const units: readonly (readonly [number, string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'm'],
];

function bytesText(bytes: number): string {
  if (bytes < 1e9) return `${Math.floor(bytes / 1e6)} MB`;
  return `${(bytes / 1e9).toFixed(bytes < 10e9 ? 1 : 0)} GB`;
}

function beamsText({ beams, directionDoubtfulSince }: DescribedDevice): string {
  if (directionDoubtfulSince !== null) return 'swapped?';
  if (beams === null) return unknown;
  const blocked = beams.filter(({ state }) => state === 'blocked').length;
  return blocked === 0 ? 'clear' : `${blocked} blocked`;
}
