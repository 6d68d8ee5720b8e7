import { Company } from '@visitor-counter/database/configuration/company';
import { pathOf, readEntry } from '@visitor-counter/database/configuration/read-entry';
import type { ValueProblem } from '@visitor-counter/domain/read-value';
import Type from 'typebox';
import { parseDocument } from 'yaml';
import { companies, type Entry, lists, type OwnList } from './lists.ts';
import { InvalidFileError } from './problems.ts';

/** A company, and what it owns. */
export interface ReadCompany {
  readonly company: Entry;
  readonly owned: readonly Entry[];
}

const Document = Type.Object({ companies: Type.Array(Type.Unknown(), { description: 'a list' }) });
const names = Object.keys(lists);
const Owned = Type.Object(Object.fromEntries(names.map((name) => [name, Type.Optional(Type.Unknown())])));
const WholeCompany = Type.Object({ ...Company.properties, ...Owned.properties });

/** Reads a topology file. Throws InvalidFileError with all problems that do not depend on the database. */
export function readTopology(text: string, file: string): readonly ReadCompany[] {
  const problems: ValueProblem[] = [];
  const value = parseYaml(text, problems);
  const document = problems.length === 0 ? readEntry(Document, value, '', problems) : undefined;
  const read = (given: unknown, path: string) => {
    const whole = readEntry(WholeCompany, given, path, problems);
    if (whole === undefined) return undefined;
    const owned = Object.entries(lists).flatMap(([list, own]) =>
      readList(own, Reflect.get(whole, list) ?? [], pathOf(path, list), problems),
    );
    const { name, retentionMonths } = whole;
    const company = companies.read({ name, retentionMonths }, path, problems);
    return company && { key: company.key, path, company, owned };
  };
  const found = document ? readList({ ...companies, read }, document.companies, 'companies', problems) : [];
  if (problems.length > 0) throw new InvalidFileError(file, problems);
  return found;
}

/** The entries of a list; with a problem for each that has the key of an earlier one. */
function readList<One extends Pick<Entry, 'key' | 'path'>>(
  { read, field, same }: OwnList<One>,
  value: unknown,
  path: string,
  problems: ValueProblem[],
): One[] {
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
    else {
      const expected = `a value other than that of ${other}`;
      problems.push({ path: own, value: Object(one)[field], expected });
    }
    return [entry];
  });
}

/** The most syntax errors to report: each may be a consequence of the one before it. */
const maxProblems = 10;

/**
 * Parses one YAML 1.2 document. Duplicate keys and unknown tags are errors; so are aliases, which could
 * expand a small file to any size.
 */
function parseYaml(text: string, problems: ValueProblem[]): unknown {
  const document = parseDocument(text, { strict: true, uniqueKeys: true });
  const faults: Error[] = [...document.errors, ...document.warnings].slice(0, maxProblems);
  try {
    if (faults.length === 0) return document.toJS({ maxAliasCount: 0 });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    faults.push(new Error('it has an alias (*name)'));
  }
  const expected = 'YAML without duplicate keys, tags and aliases';
  problems.push(...faults.map((value) => ({ path: '', value, expected })));
  return undefined;
}
