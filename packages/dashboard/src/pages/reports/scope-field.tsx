import type { Store } from '../../data/shapes.ts';
import { compareNames } from '../../text/locale.ts';
import { text } from '../../text/text.ts';

/** Of which stores: a group, one store, or all. */
export interface Scope {
  readonly group: string | null;
  readonly store: string | null;
}

interface ScopeProps {
  readonly value: Scope;
  /** In the data of a form. */
  readonly name?: string;
  /** Those that have the groups. */
  readonly stores: readonly Store[];
  /** Whether one store can be chosen. */
  readonly hasStores?: boolean;
  readonly onChoose?: (scope: Scope) => void;
}

/** A choice of all stores, a group, or one store. */
export function ScopeField({ value, name: field, stores, hasStores = true, onChoose }: ScopeProps) {
  const groups = [...new Set(stores.flatMap((store) => store.groups))].toSorted(compareNames);
  const shown = hasStores ? value : { ...value, store: null };
  const sorted = hasStores ? stores.toSorted((a, b) => compareNames(a.name, b.name)) : [];
  return (
    <label class="field">
      {text.reports.scope}
      <select name={field} onChange={({ currentTarget }) => onChoose?.(scopeOf(currentTarget.value))}>
        <Option scope={{ group: null, store: null }} chosen={shown} words={text.allStores} />
        {groups.length > 0 && (
          <optgroup label={text.reports.groups}>
            {groups.map((group) => (
              <Option key={group} scope={{ group, store: null }} chosen={shown} words={group} />
            ))}
          </optgroup>
        )}
        {sorted.length > 0 && (
          <optgroup label={text.nav.overview}>
            {sorted.map(({ sid, name }) => (
              <Option key={sid} scope={{ group: null, store: sid }} chosen={shown} words={name} />
            ))}
          </optgroup>
        )}
      </select>
    </label>
  );
}

interface OptionProps {
  readonly scope: Scope;
  readonly chosen: Scope;
  readonly words: string;
}

function Option({ scope, chosen, words }: OptionProps) {
  return (
    <option value={keyOf(scope)} selected={keyOf(scope) === keyOf(chosen)}>
      {words}
    </option>
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
