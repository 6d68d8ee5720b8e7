import type { DeviceOverLimits } from '@visitor-counter/database/alerts/devices-over-limits';
import type { DeviceWithGap } from '@visitor-counter/database/alerts/devices-with-gaps';
import type { RuleKind } from '@visitor-counter/database/tables/alert-kind';
import { utcText } from '@visitor-counter/domain/instant';
import { aboutDevice, type Condition, identityOf } from './condition.ts';
import { afterByCompany, type Facts } from './facts.ts';

/** Devices that send more crossings than their limits, or too old ones, while any of these are rejected messages. */
export function exceededLimits(facts: Facts): Condition[] {
  return facts.overLimits.flatMap((device) => alertAbout(facts, 'limits-exceeded', device, {}));
}

/** Devices with missing, lost or conflicting crossings. */
export function gapAlerts(facts: Facts): Condition[] {
  return facts.gaps.flatMap((gap) => alertAbout(facts, gap.kind, gap, { count: gap.count }));
}

/** One alert per device and kind, without text from the unit, when the state has lasted as long as the rule says. */
function alertAbout(
  facts: Facts,
  kind: RuleKind,
  device: DeviceOverLimits | DeviceWithGap,
  more: Condition['about'],
): Condition[] {
  const { companyId, deviceId, since } = device;
  const after = afterByCompany(facts, kind).get(companyId);
  if (after === undefined) return [];
  const alert = { companyId, kind, subject: `${deviceId}` };
  const beganAt = since + after;
  if (beganAt > facts.now && !facts.open.some((one) => identityOf(one) === identityOf(alert))) return [];
  return [{ ...alert, ...aboutDevice(device, { ...more, since: utcText(since) }), beganAt }];
}
