import type { EnrolmentOutcome } from '../tables/enrolment.ts';

export interface CodeFacts {
  readonly companyId: number;
  /** The device whose unit is replaced; null for codes for new devices. */
  readonly replaces: number | null;
  /** How often it may still be used. */
  readonly left: number;
  readonly expiresAt: Date;
  readonly revoked: boolean;
}

/** The device that has the serial. */
export interface SerialHolder {
  readonly id: number;
  readonly companyId: number;
  readonly secretHash: Uint8Array;
  readonly secretRevoked: boolean;
}

/**
 * Decides the outcome of an attempt. A unit that sends the secret that the device of its serial already has gets the
 * same answer again, whatever the state of the code is now: it lost power between the server's commit and its own
 * write.
 */
export function decideEnrolment(
  code: CodeFacts,
  device: SerialHolder | undefined,
  secretHash: Uint8Array,
  now: Date,
): EnrolmentOutcome {
  if (device !== undefined && isOwn(device, code, secretHash)) return 'repeated';
  if (code.revoked) return 'revoked';
  if (code.expiresAt <= now) return 'expired';
  if (code.left <= 0) return 'used-up';
  if (code.replaces !== null) return device?.id === code.replaces ? 'replaced' : 'other-serial';
  return device === undefined ? 'enrolled' : 'serial-taken';
}

function isOwn(device: SerialHolder, { companyId }: CodeFacts, secretHash: Uint8Array): boolean {
  const same = Buffer.compare(device.secretHash, secretHash) === 0;
  return same && !device.secretRevoked && device.companyId === companyId;
}
