import { expect, test } from 'vitest';
import type { EnrolmentOutcome } from './codes.ts';
import { type CodeFacts, decideEnrolment, type SerialHolder } from './enrol.ts';

const now = Date.parse('2026-11-21T12:00:00Z');
const [own, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

const codes = {
  open: {},
  revoked: { revoked: true },
  expired: { expiresAt: now },
  'used up': { left: 0 },
  'for this device': { replaces: 7 },
  'for another device': { replaces: 8 },
  'of another company': { companyId: 2 },
} satisfies Record<string, Partial<CodeFacts>>;

const holder = { id: 7, serial: 'CU-1', companyId: 1, secretHash: own, secretRevoked: false };
const devices = {
  none: undefined,
  'with another secret': { secretHash: other },
  'with this secret': {},
  'with this secret, revoked': { secretRevoked: true },
} satisfies Record<string, Partial<SerialHolder> | undefined>;

const expected: Record<keyof typeof codes, Record<keyof typeof devices, EnrolmentOutcome>> = {
  open: row('enrolled', 'serial-taken', 'repeated', 'serial-taken'),
  revoked: row('revoked', 'revoked', 'repeated', 'revoked'),
  expired: row('expired', 'expired', 'repeated', 'expired'),
  'used up': row('used-up', 'used-up', 'repeated', 'used-up'),
  'for this device': row('other-serial', 'replaced', 'repeated', 'replaced'),
  'for another device': row('other-serial', 'other-serial', 'repeated', 'other-serial'),
  'of another company': row('enrolled', 'serial-taken', 'serial-taken', 'serial-taken'),
};

function row(
  none: EnrolmentOutcome,
  taken: EnrolmentOutcome,
  same: EnrolmentOutcome,
  revoked: EnrolmentOutcome,
) {
  return {
    none,
    'with another secret': taken,
    'with this secret': same,
    'with this secret, revoked': revoked,
  };
}

test('decides one outcome for each code and device', () => {
  for (const [codeName, code] of Object.entries(codes)) {
    for (const [deviceName, device] of Object.entries(devices)) {
      const facts = {
        companyId: 1,
        replaces: null,
        left: 1,
        expiresAt: Date.parse('2027-01-01'),
        revoked: false,
      };
      const found = device && { ...holder, ...device };
      const outcome = decideEnrolment({ ...facts, ...code }, found, own, now);
      const wanted = Object.entries(expected).find(([name]) => name === codeName)?.[1];
      expect([codeName, deviceName, outcome]).toEqual([
        codeName,
        deviceName,
        Object.entries(wanted ?? {}).find(([name]) => name === deviceName)?.[1],
      ]);
    }
  }
});
