import type { AlertRule } from '@visitor-counter/database/alerts/alert-rules';
import type { BlockedBeam } from '@visitor-counter/database/alerts/blocked-beams';
import type { DeviceInTrouble } from '@visitor-counter/database/alerts/devices-in-trouble';
import type { DeviceOverLimits } from '@visitor-counter/database/alerts/devices-over-limits';
import type { DeviceWithGap } from '@visitor-counter/database/alerts/devices-with-gaps';
import type { DeviceWithLowDisk } from '@visitor-counter/database/alerts/devices-with-low-disk';
import type { DeviceWithOldVersion } from '@visitor-counter/database/alerts/devices-with-old-version';
import type { FailingStorage } from '@visitor-counter/database/alerts/failing-storage';
import type { IngestLife } from '@visitor-counter/database/alerts/ingest-life';
import type { OpenAlert, RecentAlert } from '@visitor-counter/database/alerts/open-alerts';
import type { StoreInDoubt } from '@visitor-counter/database/alerts/stores-in-doubt';
import type { StoreWithCapacity } from '@visitor-counter/database/alerts/stores-with-capacity';
import type { RuleKind } from '@visitor-counter/database/tables/alert-kind';

/** All facts that rules depend on, at one moment. */
export interface Facts {
  /** Epoch ms, by the database's clock. */
  readonly now: number;
  readonly rules: readonly AlertRule[];
  readonly open: readonly OpenAlert[];
  readonly life: IngestLife;
  /** Devices that may be in trouble, and those of open alerts. */
  readonly devices: readonly DeviceInTrouble[];
  readonly stores: readonly StoreNow[];
  /** Stores that may lack crossings. */
  readonly incomplete: readonly IncompleteStore[];
  /** Devices whose units cannot store crossings, and since when. */
  readonly storage: readonly FailingStorage[];
  /** Beams that are blocked, and since when. */
  readonly blocked: readonly BlockedBeam[];
  /** The alerts that were raised in the last hour. */
  readonly recent: readonly RecentAlert[];
  /** Devices whose messages exceed their limits. */
  readonly overLimits: readonly DeviceOverLimits[];
  /** Devices whose disks are nearly full, and those with old versions. */
  readonly lowDisks: readonly DeviceWithLowDisk[];
  readonly oldVersions: readonly DeviceWithOldVersion[];
  /** Devices whose numbers lack crossings. */
  readonly gaps: readonly DeviceWithGap[];
}

export interface IncompleteStore extends StoreInDoubt {
  /** Epoch ms: all crossings until then have arrived; null if unknown. */
  readonly completeUntil: number | null;
}

export interface StoreNow extends StoreWithCapacity {
  readonly occupancy: number;
  /** Epoch ms of the latest event of the day. */
  readonly changedAt: number | undefined;
}

/** How long a condition must last, for each company with a rule of this kind (ms). */
export function afterByCompany({ rules }: Facts, kind: RuleKind): ReadonlyMap<number, number> {
  return new Map(
    rules.filter((rule) => rule.kind === kind).map(({ companyId, after }) => [companyId, after]),
  );
}
