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
  const days = setting(lines, 'days', 'a whole number of 1 or more', (number) => number >= 1);
  if (days === undefined) throw new ProfileError(1, 'days is not set: expected a comment "# days: N"');
  const divisor = 'a whole number of minutes that divides a day';
  const interval = setting(lines, 'interval', divisor, (number) => 1440 % number === 0) ?? 30;
  const [header, ...rows] = lines.filter(({ text }) => text !== '' && !text.startsWith('#'));
  if (header?.text !== 'day,time,in,out') {
    const found = JSON.stringify(header?.text ?? '');
    const number = header?.number ?? lines.length;
    throw new ProfileError(number, `the column names are ${found}: expected day,time,in,out`);
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

/** The number in a comment `# <name>: <number>`; undefined if there is none. Throws ProfileError. */
function setting(
  lines: readonly NumberedLine[],
  name: string,
  expected: string,
  isUsable: (number: number) => boolean,
): number | undefined {
  const pattern = new RegExp(`^#\\s*${name}\\s*:\\s*(.*)$`);
  for (const { number, text } of lines) {
    const value = pattern.exec(text)?.[1];
    if (value === undefined) continue;
    if (!/^\d{1,6}$/.test(value) || !isUsable(Number(value)))
      throw new ProfileError(number, `${name} is ${JSON.stringify(value)}: expected ${expected}`);
    return Number(value);
  }
  return undefined;
}

function addRow(traffic: Map<number, Traffic[]>, row: NumberedLine, days: number, interval: number): void {
  const match = /^(\d{1,6}),([01]\d|2[0-3]):([0-5]\d),(\d{1,9}),(\d{1,9})$/.exec(row.text);
  if (!match)
    throw new ProfileError(row.number, `the row is ${JSON.stringify(row.text)}: expected day,HH:MM,in,out`);
  const [day = 0, hour = 0, minutes = 0, entries = 0, exits = 0] = match.slice(1).map(Number);
  const minute = hour * 60 + minutes;
  if (day >= days) throw new ProfileError(row.number, `day is ${day}: expected less than ${days}`);
  if (minute % interval !== 0) {
    const expected = `the start of an interval of ${interval} minutes`;
    throw new ProfileError(row.number, `time is "${match[2]}:${match[3]}": expected ${expected}`);
  }
  if (entries + exits === 0) return;
  const ofDay = traffic.get(day) ?? [];
  if (ofDay.some((other) => other.minute === minute))
    throw new ProfileError(
      row.number,
      `day ${day}, time ${match[2]}:${match[3]}: expected each interval only once`,
    );
  traffic.set(day, [...ofDay, { minute, in: entries, out: exits }]);
}
