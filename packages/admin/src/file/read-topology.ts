import { cleanName, nameKey } from '@visitor-counter/domain/name-key';
import { isMapping } from '@visitor-counter/domain/read-value';
import { parseDocument } from 'yaml';
import { type Entry, type EntryReader, entryReader, type Problem, wrongValue } from './entry.ts';
import {
  AlertRule,
  AlertTarget,
  Company,
  Credential,
  Device,
  Document,
  Report,
  ShopGroup,
  Store,
  type Topology,
} from './topology.ts';

export interface ReadTopology {
  /** The valid part of the file; apply it only if there are no problems. */
  readonly topology: Topology;
  readonly problems: readonly Problem[];
}

const readDocument = entryReader(Document);
const readCompanyHead = entryReader(Company);
const readStore = entryReader(Store);
const readShopGroup = entryReader(ShopGroup);
const readDevice = entryReader(Device);
const readCredential = entryReader(Credential);
const readAlertRule = entryReader(AlertRule);
const readAlertTarget = entryReader(AlertTarget);
const readReport = entryReader(Report);

/** Reads a topology file and finds all problems that do not depend on the database. */
export function readTopology(text: string): ReadTopology {
  const { value, problems } = parseYaml(text);
  if (problems.length > 0) return { topology: { companies: [] }, problems };
  const companies = readCompanies(value, problems);
  checkUnique(companies, problems);
  return { topology: { companies }, problems };
}

function readCompanies(raw: unknown, problems: Problem[]): Company[] {
  const found: Problem[] = [];
  readDocument(raw, '', found);
  problems.push(
    ...found.map((problem) => ({ ...problem, path: problem.path.replace(/^\./, '') || 'document' })),
  );
  return itemsOf(raw, 'companies').flatMap((company, index) => {
    return readCompany(company, `companies[${index}]`, problems) ?? [];
  });
}

/** Also reads what a company without a valid name owns, to report all problems. */
function readCompany(raw: unknown, path: string, problems: Problem[]): Company | undefined {
  const head = readCompanyHead(raw, path, problems);
  const owned = {
    stores: readAll(raw, path, 'stores', readStore, problems),
    shopGroups: readAll(raw, path, 'shopGroups', readShopGroup, problems),
    devices: readAll(raw, path, 'devices', readDevice, problems),
    credentials: readAll(raw, path, 'credentials', readCredential, problems),
    alertRules: readAll(raw, path, 'alertRules', readAlertRule, problems),
    alertTargets: readAll(raw, path, 'alertTargets', readAlertTarget, problems),
    reports: readAll(raw, path, 'reports', readReport, problems),
  };
  if (head === undefined) return undefined;
  const { name, retentionMonths } = head.value;
  return { path, name: cleanName(name), key: nameKey(name), retentionMonths, ...owned };
}

function readAll<Value>(
  raw: unknown,
  path: string,
  property: string,
  read: EntryReader<Value>,
  problems: Problem[],
): Entry<Value>[] {
  return itemsOf(raw, property).flatMap((item, index) => {
    return read(item, `${path}.${property}[${index}]`, problems) ?? [];
  });
}

function itemsOf(raw: unknown, property: string): readonly unknown[] {
  const list = isMapping(raw) ? raw[property] : undefined;
  return Array.isArray(list) ? list : [];
}

/** The most syntax errors to report: each may be a consequence of the one before it. */
const maxProblems = 10;

/**
 * Parses one YAML 1.2 document. Duplicate keys and unknown tags are errors; so are aliases, which could
 * expand a small file to any size.
 */
export function parseYaml(text: string): { value: unknown; problems: Problem[] } {
  const document = parseDocument(text, { strict: true, uniqueKeys: true, stringKeys: true });
  const faults = [...document.errors, ...document.warnings].slice(0, maxProblems);
  if (faults.length > 0) return { value: undefined, problems: faults.map(({ message }) => notYaml(message)) };
  try {
    return { value: document.toJS({ maxAliasCount: 0 }), problems: [] };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    return { value: undefined, problems: [notYaml('it has an alias (*name)')] };
  }
}

function notYaml(message: string): Problem {
  return {
    path: 'document',
    found: `cannot be read: ${message.trim()}`,
    expected: 'YAML without duplicate keys, tags and aliases',
  };
}

/** A value that must be unique among its kind: its path, its text, and the key that is compared. */
interface Claim {
  readonly path: string;
  readonly text: string;
  readonly key: string;
}

/** Finds all values that must be unique and are not. */
function checkUnique(companies: readonly Company[], problems: Problem[]): void {
  const all = <Value>(list: (company: Company) => readonly Entry<Value>[]) => companies.flatMap(list);
  const groups: Claim[][] = [
    companies.map(({ path, name, key }) => ({ path: `${path}.name`, text: name, key })),
    all((company) => company.devices).map(({ path, value: { serial } }) => {
      return { path: `${path}.serial`, text: serial, key: nameKey(serial) };
    }),
    all((company) => company.credentials).flatMap(({ path, value: { value } }) => {
      return value === undefined ? [] : { path: `${path}.value`, text: value, key: value };
    }),
    ...companies.flatMap(ownClaims),
  ];
  problems.push(...groups.flatMap(findDuplicates));
}

/** The values that must be unique within their company. */
function ownClaims(company: Company): Claim[][] {
  const { stores, shopGroups, credentials, alertRules, alertTargets, reports } = company;
  return [
    stores.map(({ path, value: { sid } }) => ({ path: `${path}.sid`, text: sid, key: sid })),
    shopGroups.map(({ path, value: { name } }) => ({ path: `${path}.name`, text: name, key: nameKey(name) })),
    credentials.map(({ path, value: { kind, label } }) => {
      return { path: `${path}.label`, text: label, key: `${kind} ${label}` };
    }),
    alertRules.map(({ path, value: { kind } }) => ({ path: `${path}.kind`, text: kind, key: kind })),
    alertTargets.map(({ path, value: { label } }) => ({ path: `${path}.label`, text: label, key: label })),
    reports.map(({ path, value }) => {
      const name = cleanName(value.name);
      return { path: `${path}.name`, text: name, key: name };
    }),
    ...shopGroups.map(({ path, value }) =>
      (value.stores ?? []).map((sid, index) => ({ path: `${path}.stores[${index}]`, text: sid, key: sid })),
    ),
  ];
}

function findDuplicates(claims: readonly Claim[]): Problem[] {
  const first = new Map<string, string>();
  return claims.flatMap(({ path, text, key }) => {
    const other = first.get(key);
    if (other === undefined) first.set(key, path);
    return other === undefined ? [] : wrongValue(path, text, `another one than ${other} has`);
  });
}
