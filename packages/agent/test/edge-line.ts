/** An edge as `gpiomon` prints it: 1 rises, 2 falls; `at` is on the monotonic clock (ms). */
export function edgeLine(line: string, kind: 1 | 2, at: number): string {
  return `${line} ${kind} ${Math.floor(at / 1_000)}.${String(at % 1_000).padStart(3, '0')}000000\n`;
}
