/** The distribution of the people at one door. */
export interface Crowd {
  readonly crossings: number;
  readonly perDay: number;
}

export interface DrawnProfile {
  /** A traffic profile as simulated beams read it. */
  readonly text: string;
  readonly days: number;
  readonly in: number;
  readonly out: number;
}

/** Intervals of half an hour in a day. */
const intervals = 48;
/** How many of them have crossings. */
const busy = 8;

/** Draws a profile with exactly as many crossings as asked for, at any hour of the day. */
export function drawProfile({ crossings, perDay }: Crowd, random: () => number): DrawnProfile {
  const rows: string[] = [];
  const sums = { in: 0, out: 0 };
  let days = 0;
  for (let left = crossings; left > 0; days += 1) {
    for (const interval of drawIntervals(random)) {
      const count = Math.min(left, 1 + Math.floor((random() * 2 * perDay) / busy));
      if (count === 0) break;
      const entries = Math.round(count * random());
      rows.push(`${days},${clockTime(interval)},${entries},${count - entries}`);
      left -= count;
      sums.in += entries;
      sums.out += count - entries;
    }
  }
  const text = [`# days: ${days}`, '# interval: 30', 'day,time,in,out', ...rows, ''].join('\n');
  return { text, days, ...sums };
}

function drawIntervals(random: () => number): Set<number> {
  return new Set(Array.from({ length: busy }, () => Math.floor(random() * intervals)));
}

function clockTime(interval: number): string {
  return `${String(interval >> 1).padStart(2, '0')}:${interval % 2 === 0 ? '00' : '30'}`;
}
