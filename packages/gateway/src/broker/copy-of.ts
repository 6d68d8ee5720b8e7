/**
 * A copy of the bytes from `start` up to `end`, in memory of its own. One out of the pool in which Node puts small buffers
 * would keep 64 KB of it alive for as long as it is kept itself.
 */
export function copyOf(bytes: Buffer, start: number, end: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(end - start);
  bytes.copy(copy, 0, start, end);
  return copy;
}
