import { type Signal, signal } from '@preact/signals';
import { SearchField } from '../../parts/fields.tsx';
import { text } from '../../text/text.ts';
import { type Sort, sorts, type Wanted } from './company-stores.ts';

/** What the user looks for; kept while the user is on other pages. */
export const wanted: Signal<Wanted> = signal({ sort: 'attention', search: '', group: undefined });

export function choose(chosen: Partial<Wanted>): void {
  wanted.value = { ...wanted.value, ...chosen };
}

/** With so few stores there is no search. */
const few = 6;

interface FiltersProps {
  readonly stores: number;
  readonly groups: readonly string[];
}

/** Search, shop group and order of the list. */
export function Filters({ stores, groups }: FiltersProps) {
  const { search, group, sort } = wanted.value;
  if (stores < 3) return null;
  return (
    <search class="filters">
      {stores > few && (
        <SearchField
          label={text.stores.search}
          value={search}
          onSearch={(typed) => choose({ search: typed })}
        />
      )}
      {groups.length > 0 && (
        <label>
          <span class="hidden">{text.stores.group}</span>
          <select
            value={group ?? ''}
            onChange={({ currentTarget }) => choose({ group: currentTarget.value || undefined })}
          >
            <option value="">{text.stores.allGroups}</option>
            {groups.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      <label>
        <span class="hidden">{text.stores.sort}</span>
        <select value={sort} onChange={({ currentTarget }) => choose({ sort: sortOf(currentTarget.value) })}>
          {sorts.map((one) => (
            <option key={one} value={one}>
              {text.stores.sorts[one]}
            </option>
          ))}
        </select>
      </label>
    </search>
  );
}

function sortOf(value: string): Sort {
  return sorts.find((one) => one === value) ?? 'attention';
}
