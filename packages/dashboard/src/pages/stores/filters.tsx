import { type Signal, signal } from '@preact/signals';
import { Choice, few, SearchField } from '../../parts/fields.tsx';
import { text } from '../../text/text.ts';
import type { Wanted } from './company-stores.ts';

/** What the user looks for; kept while the user is on other pages. */
export const wanted: Signal<Wanted> = signal({ sort: 'attention', search: '', group: undefined });

export function choose(chosen: Partial<Wanted>): void {
  wanted.value = { ...wanted.value, ...chosen };
}

interface FiltersProps {
  readonly stores: number;
  readonly groups: readonly string[];
}

/** Search and shop group of the list. */
export function Filters({ stores, groups }: FiltersProps) {
  const { search, group } = wanted.value;
  if (stores < 3) return null;
  return (
    <search class="filters">
      {stores > few && (
        <SearchField
          label={text.stores.search}
          value={search}
          onInput={({ currentTarget }) => choose({ search: currentTarget.value })}
        />
      )}
      {groups.length > 0 && (
        <Choice
          label={text.stores.group}
          isLabelHidden
          value={group ?? ''}
          options={[['', text.stores.allGroups], ...groups.map((name) => [name, name] as const)]}
          onChoose={(chosen) => choose({ group: chosen || undefined })}
        />
      )}
    </search>
  );
}
