import type { AgentVersion, OldVersion } from '@visitor-counter/database/alerts/devices-with-old-version';
import { compareAgentVersions, isAgentVersion } from '@visitor-counter/domain/agent-version';
import { aboutDevice, type Condition } from './condition.ts';
import type { Facts } from './facts.ts';

/**
 * The versions that are old for a company: older than the threshold of its rule, or else than the newest version that
 * its units have had for the time of the rule.
 */
export function oldVersionsOf(
  { rules, now }: Pick<Facts, 'rules' | 'now'>,
  versions: readonly AgentVersion[],
): OldVersion[] {
  return rules.flatMap(({ kind, companyId, after, threshold }) => {
    if (kind !== 'version-old') return [];
    const present = versions.filter((one) => one.companyId === companyId);
    const established = present.filter(({ since }) => since + after <= now).map(({ version }) => version);
    const given = threshold !== null && isAgentVersion(threshold) ? threshold : undefined;
    const expected = given ?? established.toSorted(compareAgentVersions).at(-1);
    if (expected === undefined) return [];
    const old = present.filter(({ version }) => compareAgentVersions(version, expected) < 0);
    return old.map(({ version }) => ({ companyId, version, expected }));
  });
}

/** Units with old versions. Both versions are valid version numbers. */
export function oldVersions({ oldVersions, now }: Facts): Condition[] {
  return oldVersions.map((device) => {
    const { deviceId, companyId, version, expected } = device;
    const alert = { companyId, kind: 'version-old', subject: `${deviceId}` } as const;
    return { ...alert, ...aboutDevice(device, { version, expected }), beganAt: now };
  });
}
