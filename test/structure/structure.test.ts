import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cyclesIn } from './cycles.ts';
import {
  declaredPackages,
  documentedDirections,
  localImports,
  packageImports,
  packageNames,
  sources,
} from './sources.ts';

describe.each(packageNames)('package %s', (name) => {
  const files = sources.filter((source) => source.package === name);

  test('uses only packages that the table in docs/contributors.md lists', () => {
    const allowed = [...(documentedDirections().get(name) ?? [])].sort();
    expect(declaredPackages(name).sort()).toEqual(allowed);
    const wrong = files.flatMap((source) =>
      packageImports(source)
        .filter((used) => used !== name && !allowed.includes(used))
        .map((used) => `${source.path} imports ${used}`),
    );
    expect(wrong).toEqual([]);
  });

  test('has folders that import each other in one direction only', () => {
    const edges = new Map<string, Set<string>>();
    const imports: { from: string; to: string }[] = [];
    for (const source of files) {
      for (const to of localImports(source)) {
        const [folder, other] = [dirname(source.path), dirname(to)];
        if (folder === other) continue;
        edges.set(folder, (edges.get(folder) ?? new Set()).add(other));
        imports.push({ from: source.path, to });
      }
    }
    const cycles = cyclesIn(edges);
    const within = imports.filter(({ from, to }) =>
      cycles.some((cycle) => cycle.includes(dirname(from)) && cycle.includes(dirname(to))),
    );
    expect(within.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  test.skipIf(name === 'database' || name === 'agent')(
    'contains no SQL and does not import a database driver',
    () => {
      const drivers = files.filter(({ text }) => /^import (?!type\b).*'(pg|pg-[\w-]+|kysely)'/m.test(text));
      expect(drivers.map(({ path }) => path)).toEqual([]);
      expect(files.filter(({ text }) => literalsIn(text).some(isSql)).map(({ path }) => path)).toEqual([]);
    },
  );
});

test('no statement uses the time zones of PostgreSQL, whose rules may be of another version than those of Node', () => {
  const zones = /at time zone (?!'UTC')|\btimezone\(|\bcurrent_date\b|\blocaltime/i;
  const inCode = sources.filter(({ package: name }) => name === 'database');
  const using = inCode.filter(({ text }) => literalsIn(text).some((literal) => zones.test(literal)));
  expect(using.map(({ path }) => path)).toEqual([]);
  const scripts = globSync('packages/database/src/**/*.sql');
  expect(scripts).not.toEqual([]);
  expect(scripts.filter((path) => zones.test(readFileSync(path, 'utf8')))).toEqual([]);
});

test('the packages of the table in docs/contributors.md use each other in one direction only', () => {
  const edges = [...documentedDirections()].map(([name, uses]) => [name, new Set(uses)] as const);
  expect(cyclesIn(new Map(edges))).toEqual([]);
});

/** The string and template literals of a source, without its comments. */
function literalsIn(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');
  return [...code.matchAll(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g)].map(([literal]) =>
    literal.slice(1, -1),
  );
}

function isSql(literal: string): boolean {
  return /^\s*(select\b[\s\S]*\bfrom|insert into|delete from|update \w+ set|with \w+ as|(create|alter|drop|truncate|lock) (table|index|function|type|role|database|schema))\b/i.test(
    literal,
  );
}

test('the search for SQL finds statements, and no sentences', () => {
  expect(
    literalsIn("run('select 1 from a'); // run('delete from b')\nrun(`insert into c\n  values (1)`);").filter(
      isSql,
    ),
  ).toEqual(['select 1 from a', 'insert into c\n  values (1)']);
  expect(isSql('Update the unit, then restart it')).toBe(false);
});

test('the search for cycles finds folders that reach each other through other folders', () => {
  const edges = { a: ['b'], b: ['c'], c: ['a', 'd'], d: ['e'], e: [] };
  const graph = new Map(Object.entries(edges).map(([from, to]) => [from, new Set<string>(to)]));
  expect(cyclesIn(graph)).toEqual([['a', 'b', 'c']]);
});
