import type { Store } from '../../data/shapes.ts';
import { compareNames } from '../../text/search.ts';
import { text } from '../../text/text.ts';

interface ScopeProps {
  /** `s:` and a sid, `g:` and the name of a group, or empty for all stores. */
  readonly value: string;
  readonly groups: readonly string[];
  readonly stores: readonly Store[];
  readonly onChange: (value: string) => void;
}

/** A choice of all stores, a group, or one store. */
export function ScopeField({ value, groups, stores, onChange }: ScopeProps) {
  const sorted = stores.toSorted((a, b) => compareNames(a.name, b.name));
  return (
    <label class="field">
      {text.reports.scope}
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="">{text.allStores}</option>
        {groups.length > 0 && (
          <optgroup label={text.reports.groups}>
            {groups.map((name) => (
              <option key={name} value={`g:${name}`}>
                {name}
              </option>
            ))}
          </optgroup>
        )}
        {sorted.length > 0 && (
          <optgroup label={text.nav.overview}>
            {sorted.map(({ sid, name }) => (
              <option key={sid} value={`s:${sid}`}>
                {name}
              </option>
            ))}
          </optgroup>
        )}
      </select>
    </label>
  );
}

/** The names of the shop groups of stores, sorted. */
export function groupsOf(stores: readonly Store[]): string[] {
  return [...new Set(stores.flatMap(({ groups }) => groups))].toSorted(compareNames);
}
