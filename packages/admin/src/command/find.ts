import { findOwner, type Owner } from '@visitor-counter/database/configuration/company';
import { type ListedDevice, listDevices } from '@visitor-counter/database/devices/list-devices';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { Db } from '@visitor-counter/database/sql/query-builder';
import { findStores, isShopGroup } from '@visitor-counter/database/stores/stores';
import { Refused } from '@visitor-counter/service/errors';
import { type CommandContext, withDatabase } from './context.ts';

export type ChosenDevice = Pick<ListedDevice, 'id' | 'serial' | 'company'>;

/** A device by its serial number, in any letter case; of `company`, if given. Throws Refused if there is none. */
export async function findDevice(db: Db, serial: string, company?: string): Promise<ListedDevice> {
  const [found] = await listDevices(db, { serials: [serial], company });
  if (found === undefined) throw unknownDevice(serial, company);
  return found;
}

/** The store of this sid. Throws Refused if there is none, or several and `company` does not say which one. */
export async function findStore(db: Db, sid: string, company?: string) {
  const [found, ...others] = await findStores(db, sid, company);
  if (found === undefined) throw unknownStore(sid, company);
  if (others.length === 0) return found;
  const names = [found, ...others].map((one) => one.company).join(', ');
  throw new Refused(`${names} have a store ${sid}: choose one with --company`);
}

/** A company by its name. Throws Refused if there is none. */
export async function findCompany(db: Db, name: string): Promise<Owner> {
  const found = await findOwner(db, name);
  if (found === undefined) throw new Refused(`there is no company ${JSON.stringify(name)}`);
  return found;
}

/** The names by which an operator selects something. */
export interface Named {
  readonly company?: string | undefined;
  readonly store?: string | undefined;
  readonly group?: string | undefined;
}

/**
 * Throws Refused if there is no such company, store or shop group, in the company if it is named: a name that is
 * misspelt must not look like an empty list.
 */
export async function requireKnown(db: Db, { company, store, group }: Named): Promise<void> {
  const owner = company === undefined ? undefined : await findCompany(db, company);
  if (group !== undefined && !(await isShopGroup(db, group, owner?.id)))
    throw new Refused(`${owner ? `${owner.name} has` : 'there is'} no shop group ${JSON.stringify(group)}`);
  if (store !== undefined && (await findStores(db, store, company)).length === 0)
    throw unknownStore(store, company);
}

export function unknownDevice(serial: string, company?: string): Refused {
  return new Refused(`there is no device ${JSON.stringify(serial)}${ownerText(company)}`);
}

function unknownStore(sid: string, company: string | undefined): Refused {
  const list = 'see `admin store list`';
  return new Refused(`there is no store ${JSON.stringify(sid)}${ownerText(company)}; ${list}`);
}

function ownerText(company: string | undefined): string {
  return company === undefined ? '' : ` of ${company}`;
}

/** As `withDatabase`, after `requireKnown` has accepted the names that the operator has given. */
export function readKnown<Result>(
  context: CommandContext,
  named: Named,
  read: (db: Database) => Promise<Result>,
): Promise<Result> {
  return withDatabase(context, async (db) => {
    await requireKnown(db.kysely, named);
    return await read(db);
  });
}
