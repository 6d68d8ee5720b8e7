import { Company, saveCompany } from '@visitor-counter/database/configuration/company';
import { pathOf, readEntry } from '@visitor-counter/database/configuration/read-entry';
import { cleanName, nameKey } from '@visitor-counter/domain/name-key';
import type { ValueProblem } from '@visitor-counter/domain/read-value';
import Type from 'typebox';
import { parseDocument } from 'yaml';
import { type Entry, lists, type OwnList } from './lists.ts';

/** What can be used of a file; apply it only if there are no problems. */
export interface ReadTopology {
  readonly companies: readonly ReadCompany[];
  readonly problems: readonly ValueProblem[];
}

/** A company, and what it owns. */
export interface ReadCompany {
  readonly company: Entry;
  readonly owned: readonly Entry[];
}

const Document = Type.Object({ companies: Type.Array(Type.Unknown(), { description: 'a list' }) });
const names = Object.keys(lists);
const Owned = Type.Object(Object.fromEntries(names.map((name) => [name, Type.Optional(Type.Unknown())])));
const WholeCompany = Type.Object({ ...Company.properties, ...Owned.properties });

/** Reads a topology file and finds all problems that do not depend on the database. */
export function readTopology(text: string): ReadTopology {
  const { value, problems } = parseYaml(text);
  if (problems.length > 0) return { companies: [], problems };
  const owned = new Map<Entry, readonly Entry[]>();
  const read: OwnList['read'] = (given, path) => {
    const whole = readEntry(WholeCompany, given, path, problems);
    if (whole === undefined) return undefined;
    const { name, retentionMonths } = whole;
    const save: Entry['save'] = (trx) =>
      saveCompany(trx, { name, ...(retentionMonths !== undefined && { retentionMonths }) });
    const company = { kind: 'company', key: cleanName(name), path, save } as const;
    const all = Object.entries(lists).flatMap(([list, own]) => {
      const given: unknown = Reflect.get(whole, list) ?? [];
      return readList(own, given, pathOf(path, list), problems);
    });
    owned.set(company, all);
    return company;
  };
  const document = readEntry(Document, value, '', problems);
  const entries = document
    ? readList({ read, field: 'name', same: nameKey }, document.companies, 'companies', problems)
    : [];
  return { companies: entries.map((company) => ({ company, owned: owned.get(company) ?? [] })), problems };
}

/** The entries of a list; with a problem for each that has the key of an earlier one. */
function readList(
  { read, field, same }: Pick<OwnList, 'read' | 'field' | 'same'>,
  value: unknown,
  path: string,
  problems: ValueProblem[],
): Entry[] {
  if (!Array.isArray(value)) {
    problems.push({ path, value, expected: 'a list' });
    return [];
  }
  const first = new Map<string, string>();
  return value.flatMap((one: unknown, index) => {
    const entry = read(one, `${path}[${index}]`, problems);
    if (entry === undefined) return [];
    const own = pathOf(entry.path, field);
    const other = first.get(same(entry.key));
    if (other === undefined) first.set(same(entry.key), own);
    else
      problems.push({
        path: own,
        value: Object(one)[field],
        expected: `a value other than that of ${other}`,
      });
    return [entry];
  });
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
