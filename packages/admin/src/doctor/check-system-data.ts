import type { DatabaseFacts } from '@visitor-counter/database/fleet/database-state';
import type { StoreZones } from '@visitor-counter/database/stores/store-zones';
import { type Finding, ok, problem, warning } from './finding.ts';

/* Data of the operating system, or of Node, on which results depend: it changes with upgrades. */

/** Judges whether the indexes of text were made with the present rules for sorting it. */
export function judgeCollation({ name: database, collation }: DatabaseFacts): Finding {
  const { name, recorded, actual } = collation;
  if (recorded === null) return ok('collation', `${name}, which no upgrade of the system changes`);
  if (recorded === actual) return ok('collation', `${name}, whose version ${actual} is unchanged`);
  const finding = `indexes of text were made with version ${recorded} of ${name}, and the system now has ${actual}: rows may not be found`;
  const advice = `As the superuser of PostgreSQL, in this database: reindex database "${database}"; alter database "${database}" refresh collation version`;
  return problem('collation', finding, advice);
}

/** Judges the rules of time zones: all numbers use those of Node. */
export function judgeZones({ differing, unknown }: StoreZones): Finding[] {
  const version = `tzdata ${process.versions['tz']} of Node`;
  const found: Finding[] = [];
  if (unknown.length > 0) {
    const finding = `${version} does not know ${unknown.join(', ')}: stores there have UTC`;
    found.push(warning('time zones', finding, 'Correct the time zone of these stores, or upgrade.'));
  }
  if (differing.length > 0) {
    const zones = differing.map(({ zone, at }) => `${zone} (on ${new Date(at).toISOString().slice(0, 10)})`);
    const advice =
      'Upgrade the older of both: this program, or tzdata below PostgreSQL. All numbers use Node; only SQL of your own is affected by PostgreSQL.';
    const finding = `${version} and PostgreSQL have different times in ${zones.join(', ')}`;
    found.push(warning('time zones', finding, advice));
  }
  return found.length > 0 ? found : [ok('time zones', `${version}; PostgreSQL agrees for all stores`)];
}
