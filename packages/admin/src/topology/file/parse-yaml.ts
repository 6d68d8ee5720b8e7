import { parseDocument } from 'yaml';
import type { Problem } from './problem.ts';

/** As many syntax errors as help: each may be the consequence of the one before it. */
const maxProblems = 10;

/**
 * Parses one YAML 1.2 document. Duplicate keys and unknown tags are errors; so are aliases, which could
 * blow a small file up to any size.
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
