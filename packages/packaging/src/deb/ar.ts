/** A file in an archive. */
export interface Member {
  /** At most 16 characters. */
  readonly name: string;
  readonly content: Buffer;
}

/** An archive in the format of `ar`, as `deb(5)` has it; every member with the same time (epoch seconds). */
export function arArchive(members: readonly Member[], time: number): Buffer {
  const parts = members.flatMap(({ name, content }) => [
    Buffer.from(header(name, content.length, time), 'latin1'),
    content,
    Buffer.alloc(content.length % 2, '\n'),
  ]);
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts]);
}

function header(name: string, size: number, time: number): string {
  const field = (value: string | number, width: number) => String(value).padEnd(width);
  return `${field(name, 16)}${field(time, 12)}${field(0, 6)}${field(0, 6)}${field(100644, 8)}${field(size, 10)}\`\n`;
}
