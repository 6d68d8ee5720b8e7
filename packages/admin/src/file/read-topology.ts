import { AlertRule } from '@visitor-counter/database/configuration/alert-rule';
import { AlertTarget } from '@visitor-counter/database/configuration/alert-target';
import { Company } from '@visitor-counter/database/configuration/company';
import { Credential } from '@visitor-counter/database/configuration/credential';
import { Device } from '@visitor-counter/database/configuration/device';
import { MailReport } from '@visitor-counter/database/configuration/mail-report';
import { pathOf, readEntry } from '@visitor-counter/database/configuration/read-entry';
import { ShopGroup } from '@visitor-counter/database/configuration/shop-group';
import { Store } from '@visitor-counter/database/configuration/store';
import { cleanName, nameKey } from '@visitor-counter/domain/name-key';
import type { ValueProblem } from '@visitor-counter/domain/read-value';
import Type, { type Static, type TObject } from 'typebox';
import { parseDocument } from 'yaml';

/** An entry of a file, and where it is, such as `companies[0].stores[1]`. */
export interface Entry<Given> {
  readonly path: string;
  readonly given: Given;
}

/** What can be used of a file; apply it only if there are no problems. */
export interface ReadTopology {
  readonly companies: readonly ReadCompany[];
  readonly problems: readonly ValueProblem[];
}

export type ReadCompany = ReturnType<typeof readOwned> & Entry<Static<typeof Company>>;

const lists = [
  'stores',
  'shopGroups',
  'devices',
  'credentials',
  'alertRules',
  'alertTargets',
  'reports',
] as const;
const ownLists = Type.Object(Object.fromEntries(lists.map((list) => [list, Type.Optional(Type.Unknown())])));
const CompanyWithLists = Type.Object({ ...Company.properties, ...ownLists.properties });
const Document = Type.Object({ companies: Type.Array(Type.Unknown(), { description: 'a list' }) });

/** Reads a topology file and finds all problems that do not depend on the database. */
export function readTopology(text: string): ReadTopology {
  const { value, problems } = parseYaml(text);
  if (problems.length > 0) return { companies: [], problems };
  const document = readEntry(Document, value, '', problems);
  const companies = readList(CompanyWithLists, document?.companies, 'companies', problems).map(
    ({ path, given }) => {
      const { name, retentionMonths } = given;
      const company = { name, ...(retentionMonths !== undefined && { retentionMonths }) };
      return { path, given: company, ...readOwned(path, given, problems) };
    },
  );
  requireDistinct(companies, 'name', ({ name }) => nameKey(name), problems);
  return { companies, problems };
}

function readOwned(path: string, company: Readonly<Record<string, unknown>>, problems: ValueProblem[]) {
  const read = <Schema extends TObject>(list: (typeof lists)[number], schema: Schema) =>
    readList(schema, company[list] ?? [], pathOf(path, list), problems);
  const owned = {
    stores: read('stores', Store),
    shopGroups: read('shopGroups', ShopGroup),
    devices: read('devices', Device),
    credentials: read('credentials', Credential),
    alertRules: read('alertRules', AlertRule),
    alertTargets: read('alertTargets', AlertTarget),
    reports: read('reports', MailReport),
  };
  requireDistinct(owned.stores, 'sid', ({ sid }) => sid, problems);
  requireDistinct(owned.shopGroups, 'name', ({ name }) => nameKey(name), problems);
  requireDistinct(owned.devices, 'serial', ({ serial }) => nameKey(serial), problems);
  requireDistinct(owned.credentials, 'label', ({ kind, label }) => `${kind} ${label}`, problems);
  requireDistinct(owned.alertRules, 'kind', ({ kind }) => kind, problems);
  requireDistinct(owned.alertTargets, 'label', ({ label }) => label, problems);
  requireDistinct(owned.reports, 'name', ({ name }) => cleanName(name), problems);
  return owned;
}

function readList<Schema extends TObject>(
  schema: Schema,
  value: unknown,
  path: string,
  problems: ValueProblem[],
): Entry<Static<Schema>>[] {
  if (!Array.isArray(value)) {
    if (value !== undefined) problems.push({ path, value, expected: 'a list' });
    return [];
  }
  return value.flatMap((one: unknown, index) => {
    const where = `${path}[${index}]`;
    const given = readEntry(schema, one, where, problems);
    return given === undefined ? [] : [{ path: where, given }];
  });
}

/** Adds a problem for each entry that has the key of an earlier one. */
function requireDistinct<Given>(
  entries: readonly Entry<Given>[],
  field: string & keyof Given,
  keyOf: (given: Given) => string,
  problems: ValueProblem[],
): void {
  const first = new Map<string, string>();
  for (const { path, given } of entries) {
    const own = pathOf(path, field);
    const other = first.get(keyOf(given));
    if (other === undefined) first.set(keyOf(given), own);
    else problems.push({ path: own, value: given[field], expected: `a value other than that of ${other}` });
  }
}

/** The most syntax errors to report: each may be a consequence of the one before it. */
const maxProblems = 10;

/**
 * Parses one YAML 1.2 document. Duplicate keys and unknown tags are errors; so are aliases, which could
 * expand a small file to any size.
 */
function parseYaml(text: string): { value: unknown; problems: ValueProblem[] } {
  const document = parseDocument(text, { strict: true, uniqueKeys: true });
  const faults = [...document.errors, ...document.warnings].slice(0, maxProblems);
  if (faults.length > 0) return { value: undefined, problems: faults.map(notYaml) };
  try {
    return { value: document.toJS({ maxAliasCount: 0 }), problems: [] };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    return { value: undefined, problems: [notYaml(new Error('it has an alias (*name)'))] };
  }
}

function notYaml(value: Error): ValueProblem {
  return { path: '', value, expected: 'YAML without duplicate keys, tags and aliases' };
}
