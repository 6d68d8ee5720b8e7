import { cleanName, nameKey } from '@visitor-counter/domain/name-key';
import { Check } from 'typebox/value';
import { parseDocument } from 'yaml';
import { type Problem, readValue, whole, wrongValue } from './entry.ts';
import { type Company, Document } from './topology.ts';

export interface ReadTopology {
  /** The part of the file that can be used; apply it only if there are no problems. */
  readonly companies: readonly Company[];
  readonly problems: readonly Problem[];
}

/** Reads a topology file and finds all problems that do not depend on the database. */
export function readTopology(text: string): ReadTopology {
  const { value, problems } = parseYaml(text);
  if (problems.length > 0) return { companies: [], problems };
  const document = readValue(Document, value, whole, problems);
  const companies = Check(Document, document) ? document.companies.map(withKey) : [];
  return { companies, problems: [...problems, ...findDuplicates(companies)] };
}

function withKey(company: Omit<Company, 'key'>): Company {
  return { ...company, name: cleanName(company.name), key: nameKey(company.name) };
}

/** The most syntax errors to report: each may be a consequence of the one before it. */
const maxProblems = 10;

/**
 * Parses one YAML 1.2 document. Duplicate keys and unknown tags are errors; so are aliases, which could
 * expand a small file to any size.
 */
function parseYaml(text: string): { value: unknown; problems: Problem[] } {
  const document = parseDocument(text, { strict: true, uniqueKeys: true });
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

/** A problem for each value that must be unique and is not. */
function findDuplicates(companies: readonly Company[]): Problem[] {
  const all = <Item>(list: (company: Company) => readonly Item[]) => companies.flatMap(list);
  return [
    companies.map(({ path, name, key }) => ({ path: `${path}.name`, text: name, key })),
    all(({ devices }) => devices).map(({ path, serial }) => {
      return { path: `${path}.serial`, text: serial, key: nameKey(serial) };
    }),
    all(({ credentials }) => credentials).flatMap(({ path, value }) => {
      return value === undefined ? [] : { path: `${path}.value`, text: value, key: value };
    }),
    ...companies.flatMap(ownClaims),
  ].flatMap(problemsOf);
}

/** The values that must be unique within their company. */
function ownClaims({
  stores,
  shopGroups,
  credentials,
  alertRules,
  alertTargets,
  reports,
}: Company): Claim[][] {
  return [
    stores.map(({ path, sid }) => ({ path: `${path}.sid`, text: sid, key: sid })),
    shopGroups.map(({ path, name }) => ({ path: `${path}.name`, text: name, key: nameKey(name) })),
    credentials.map(({ path, kind, label }) => {
      return { path: `${path}.label`, text: label, key: `${kind} ${label}` };
    }),
    alertRules.map(({ path, kind }) => ({ path: `${path}.kind`, text: kind, key: kind })),
    alertTargets.map(({ path, label }) => ({ path: `${path}.label`, text: label, key: label })),
    reports.map(({ path, name }) => ({ path: `${path}.name`, text: name, key: cleanName(name) })),
    ...shopGroups.map(({ path, stores = [] }) =>
      stores.map((sid, index) => ({ path: `${path}.stores[${index}]`, text: sid, key: sid })),
    ),
  ];
}

function problemsOf(claims: readonly Claim[]): Problem[] {
  const first = new Map<string, string>();
  return claims.flatMap(({ path, text, key }) => {
    const other = first.get(key);
    if (other === undefined) first.set(key, path);
    return other === undefined ? [] : wrongValue(path, text, `a value other than that of ${other}`);
  });
}
