/** The current faults of a disk. */
export interface Disk {
  /** How long it takes to write a crossing to the card (ms). */
  pace: number;
  /** No write has room. */
  full: 'no' | 'for new data' | 'for all writes';
  /** Appending fails, and sources wait. */
  held: boolean;
  /** The n-th use of the disk from now on fails. */
  failing: { operation: 'write' | 'sync'; in: number } | undefined;
  /** Nothing can be read before this moment (ms of `performance.now()`). */
  unreadableUntil: number;
}

/** Throws the present error of a disk before each use of it. A full disk can still be opened. */
export function faultsOf(disk: Disk): (operation: 'read' | 'write' | 'sync') => void {
  let uses = 0;
  return (operation) => {
    if (performance.now() < disk.unreadableUntil) throw diskError('EIO');
    if (operation === 'read') return;
    if (operation === 'sync') return failIfDue(disk, operation);
    if (disk.pace > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, disk.pace);
    failIfDue(disk, operation);
    uses += 1;
    if (uses > 2 && (disk.held || disk.full !== 'no')) throw diskError('ENOSPC');
  };
}

function failIfDue(disk: Disk, operation: 'write' | 'sync'): void {
  if (disk.failing?.operation !== operation) return;
  disk.failing.in -= 1;
  if (disk.failing.in > 0) return;
  process.send?.({ failed: disk.failing.operation });
  disk.failing = undefined;
  throw diskError('EIO');
}

function diskError(code: 'EIO' | 'ENOSPC'): Error {
  return Object.assign(new Error(`${code}: injected`), { code });
}
