import type { Store } from '../../data/shapes.ts';
import { compareNames } from '../../text/locale.ts';
import { text } from '../../text/text.ts';

/** Of which stores: a group, one store, or all. */
export interface Scope {
  readonly group: string | null;
  readonly store: string | null;
}

interface ScopeProps {
  readonly name?: string;
  readonly value: Scope;
  /** Those that have the groups. */
  readonly stores: readonly Store[];
  /** Whether one store can be chosen. */
  readonly hasStores?: boolean;
  readonly onChoose?: (scope: Scope) => void;
}

/** A choice of all stores, a group, or one store; also of one that does not exist any more, if it is chosen. */
export function ScopeField({ name, value, stores, hasStores = true, onChoose }: ScopeProps) {
  const { group, store } = value;
  const groups = new Set([...stores.flatMap((one) => one.groups), ...(group === null ? [] : [group])]);
  const isKnown = store === null || stores.some(({ sid }) => sid === store);
  const names = [...stores, ...(isKnown ? [] : [{ sid: store, name: store }])];
  const option = (scope: Scope, words: string) => (
    <option key={keyOf(scope)} value={keyOf(scope)} selected={keyOf(scope) === keyOf(value)}>
      {words}
    </option>
  );
  return (
    <label class="field">
      {text.reports.scope}
      <select name={name} onChange={({ currentTarget }) => onChoose?.(scopeOf(currentTarget.value))}>
        {option({ group: null, store: null }, text.words.allStores)}
        {groups.size > 0 && (
          <optgroup label={text.reports.groups}>
            {[...groups].sort(compareNames).map((one) => option({ group: one, store: null }, one))}
          </optgroup>
        )}
        {hasStores && names.length > 0 && (
          <optgroup label={text.nav.overview}>
            {names
              .toSorted((a, b) => compareNames(a.name, b.name))
              .map((one) => option({ group: null, store: one.sid }, one.name))}
          </optgroup>
        )}
      </select>
    </label>
  );
}

/** A group can have the name of a store. */
function keyOf({ group, store }: Scope): string {
  if (group !== null) return `g:${group}`;
  return store === null ? '' : `s:${store}`;
}

/** The scope of a value of the field. */
export function scopeOf(key: string): Scope {
  const name = key.slice(2);
  return { group: key.startsWith('g:') ? name : null, store: key.startsWith('s:') ? name : null };
}
