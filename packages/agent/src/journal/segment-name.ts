const digits = 16;
const pattern = /^(\d{16})\.journal$/;

/** The file that holds the records from sequence `first` on; names sort as sequences do. */
export function segmentName(first: number): string {
  return `${String(first).padStart(digits, '0')}.journal`;
}

/** The first sequence that a file name tells; undefined for other files. */
export function firstOfSegment(name: string): number | undefined {
  const first = pattern.exec(name)?.[1];
  return first === undefined ? undefined : Number(first);
}
