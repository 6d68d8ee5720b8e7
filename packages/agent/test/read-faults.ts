import type { FileSystem } from '../src/journal/file-system.ts';

/** The fault of a read: it fails with a code, ends early, or returns wrong bytes. */
export type ReadFault = { readonly code: string } | 'short' | 'garbage';

/** A part of a file; the whole file for operations that do not read by position. */
export interface ReadPart {
  readonly operation: 'list' | 'read' | 'open';
  readonly path: string;
  readonly from: number;
  readonly until: number;
}

/** Makes reads fail for which `faultOf` returns a fault; writes are unchanged. */
export function withReadFaults(
  files: FileSystem,
  faultOf: (part: ReadPart) => ReadFault | undefined,
): FileSystem {
  const check = (part: ReadPart) => {
    const fault = faultOf(part);
    if (fault && typeof fault === 'object')
      throw Object.assign(new Error(`${fault.code}: injected, ${part.operation}`), { code: fault.code });
    return fault;
  };
  const whole = { from: 0, until: Number.POSITIVE_INFINITY };
  return {
    ...files,
    list: async (path) => {
      check({ operation: 'list', path, ...whole });
      return files.list(path);
    },
    read: async (path) => {
      const fault = check({ operation: 'read', path, ...whole });
      const content = await files.read(path);
      return content && faulty(content, content.length, fault);
    },
    open: async (path) => {
      check({ operation: 'open', path, ...whole });
      const file = await files.open(path);
      return {
        ...file,
        read: async (buffer, position) => {
          const until = position + buffer.length;
          const fault = check({ operation: 'read', path, from: position, until });
          const length = await file.read(buffer, position);
          const bytes = faulty(buffer, length, fault);
          bytes.copy(buffer);
          return bytes.length;
        },
      };
    },
  };
}

function faulty(read: Buffer, length: number, fault: 'short' | 'garbage' | undefined): Buffer {
  const bytes = Buffer.from(read.subarray(0, length));
  if (fault === 'short') return bytes.subarray(0, length >> 1);
  if (fault === 'garbage')
    for (let index = 0; index < length; index += 24) bytes[index] = (bytes[index] ?? 0) ^ 0x41;
  return bytes;
}
