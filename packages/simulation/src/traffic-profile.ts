/** How many people came in and went out in each interval of some days; played repeatedly. */
export interface TrafficProfile {
  readonly days: number;
  /** Length of an interval in minutes. */
  readonly interval: number;
  /** The intervals with traffic, by day. */
  readonly traffic: ReadonlyMap<number, readonly Traffic[]>;
}

export interface Traffic {
  /** Minutes since local midnight at which the interval starts. */
  readonly minute: number;
  readonly in: number;
  readonly out: number;
}

/** A profile cannot be read: the place, the text there, and the expected format. */
export class ProfileError extends Error {
  override readonly name = 'ProfileError';
  readonly code = 'profile';

  constructor(line: number, problem: string) {
    super(`traffic profile, line ${line}: ${problem}`);
  }
}

/**
 * Reads a profile: comment lines `# days: 105` (required) and `# interval: 30` (minutes, default 30), any
 * other comment lines, a line `day,time,in,out`, and one line for each interval with traffic, in any order:
 * `0,08:30,4,1`. Days count from 0. Throws ProfileError.
 */
export function parseTrafficProfile(text: string): TrafficProfile {
  const lines = text.split(/\r?\n/).map((line, index) => ({ number: index + 1, text: line.trim() }));
  const days = setting(lines, 'days', undefined);
  const interval = setting(lines, 'interval', 30);
  if (days < 1) throw new ProfileError(1, 'expected a comment "# days: N" with N of 1 or more');
  if (interval < 1 || 1440 % interval !== 0) {
    throw new ProfileError(1, `interval is ${interval}: expected minutes that divide a day`);
  }
  const [header, ...rows] = lines.filter(({ text }) => text !== '' && !text.startsWith('#'));
  if (header?.text !== 'day,time,in,out') {
    throw new ProfileError(header?.number ?? lines.length, 'expected the column names day,time,in,out');
  }
  const traffic = new Map<number, Traffic[]>();
  for (const row of rows) addRow(traffic, row, days, interval);
  for (const day of traffic.values()) day.sort((a, b) => a.minute - b.minute);
  return { days, interval, traffic };
}

interface NumberedLine {
  readonly number: number;
  readonly text: string;
}

function setting(lines: readonly NumberedLine[], name: string, fallback: number | undefined): number {
  const pattern = new RegExp(`^#\\s*${name}\\s*:\\s*(.*)$`);
  for (const { number, text } of lines) {
    const value = pattern.exec(text)?.[1];
    if (value === undefined) continue;
    if (!/^\d{1,6}$/.test(value))
      throw new ProfileError(number, `${name} is "${value}": expected a whole number`);
    return Number(value);
  }
  return fallback ?? 0;
}

function addRow(traffic: Map<number, Traffic[]>, row: NumberedLine, days: number, interval: number): void {
  const match = /^(\d{1,6}),([01]\d|2[0-3]):([0-5]\d),(\d{1,9}),(\d{1,9})$/.exec(row.text);
  if (!match) throw new ProfileError(row.number, `"${row.text}": expected day,HH:MM,in,out`);
  const [day = 0, hour = 0, minutes = 0, entries = 0, exits = 0] = match.slice(1).map(Number);
  const minute = hour * 60 + minutes;
  if (day >= days) throw new ProfileError(row.number, `day is ${day}: expected less than ${days}`);
  if (minute % interval !== 0) {
    throw new ProfileError(row.number, `time is not the start of an interval of ${interval} minutes`);
  }
  if (entries + exits === 0) return;
  const ofDay = traffic.get(day) ?? [];
  if (ofDay.some((other) => other.minute === minute))
    throw new ProfileError(row.number, 'interval given twice');
  traffic.set(day, [...ofDay, { minute, in: entries, out: exits }]);
}
