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
  /** Those that have the groups. */
  readonly stores: readonly Store[];
  /** Whether one store can be chosen. */
  readonly hasStores?: boolean;
  readonly onChoose: (scope: Scope) => void;
}

/** A choice of all stores, a group, or one store. */
export function ScopeField({ value, stores, hasStores = true, onChoose }: ScopeProps) {
  const groups = [...new Set(stores.flatMap((store) => store.groups))].toSorted(compareNames);
  const shown = hasStores ? value : { ...value, store: null };
  const sorted = hasStores ? stores.toSorted((a, b) => compareNames(a.name, b.name)) : [];
  const choose = (chosen: string) => {
    const name = chosen.slice(2);
    onChoose({
      group: chosen.startsWith('g:') ? name : null,
      store: chosen.startsWith('s:') ? name : null,
    });
  };
  return (
    <label class="field">
      {text.reports.scope}
      <select value={keyOf(shown)} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        <option value="">{text.words.allStores}</option>
        {groups.length > 0 && (
          <optgroup label={text.reports.groups}>
            {groups.map((group) => (
              <option key={group} value={keyOf({ group, store: null })}>
                {group}
              </option>
            ))}
          </optgroup>
        )}
        {sorted.length > 0 && (
          <optgroup label={text.nav.overview}>
            {sorted.map(({ sid, name }) => (
              <option key={sid} value={keyOf({ group: null, store: sid })}>
                {name}
              </option>
            ))}
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
