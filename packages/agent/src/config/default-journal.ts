/**
 * Where a door keeps its journal when the file does not say: a path that starts from the folder of journals, which is
 * COUNTER_STATE (the package sets it) or else the file's own.
 */
export function defaultJournal(serial: string, several: boolean): string {
  return several ? `journal/${serial}` : 'journal';
}
