import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { LiveState } from '../../data/live.ts';
import type { View } from '../../parts/address.ts';
import { NotFound } from '../../parts/fields.tsx';
import { Glyph } from '../../parts/glyph.tsx';
import { isPrinting } from '../../parts/printing.ts';
import { WindowedList } from '../../parts/windowed-list.tsx';
import { compareNames, number } from '../../text/locale.ts';
import { text } from '../../text/text.ts';
import { arrange, type CompanyStore, ranksOf, totalOf, type Wanted } from './company-stores.ts';
import { choose, Filters, wanted } from './filters.tsx';
import { StoreRow } from './store-row.tsx';
import { Summary } from './summary.tsx';

interface StoresListProps {
  /** Each by its own days. */
  readonly stores: readonly CompanyStore[];
  /** All by the same days. */
  readonly together: readonly CompanyStore[];
  /** The server's answer; its next one sorts the stores again. */
  readonly answer: object;
  readonly live: LiveState;
  readonly view: View;
}

/** The figures of the company, and its stores. */
export function StoresList({ stores, together, answer, live, view }: StoresListProps) {
  const { search, group, sort } = wanted.value;
  const groups = [...new Set(stores.flatMap((store) => store.groups))].sort(compareNames);
  const isInGroup = (store: CompanyStore) => group === undefined || store.groups.includes(group);
  const inGroup = stores.filter(isInGroup);
  const summed = together.filter(isInGroup);
  const ofAll = summed[0];
  const shown = useArranged(stores, answer);
  const ranks = ranksOf(inGroup);
  const most = Math.max(...inGroup.map(({ visitors, before }) => Math.max(visitors, before ?? 0)));
  const isTrouble = ({ needsAttention }: CompanyStore) => sort === 'attention' && needsAttention;
  const trouble = shown.filter(isTrouble);
  const others = shown.filter((store) => !isTrouble(store));
  /* Where every store is closed, or somebody searches, nothing is folded. */
  const isFolding = view.range === 'today' && search === '' && others.some(({ open }) => open !== false);
  const isFolded = ({ open }: CompanyStore) => isFolding && open === false;
  const rowsOf = (label: string, items: readonly CompanyStore[]) => (
    <WindowedList
      label={label}
      class="store-rows"
      items={items}
      keyOf={({ store }) => store}
      row={(store) => (
        <StoreRow
          store={store}
          now={live.store(store.store)}
          rank={ranks.get(store.store)}
          most={most}
          view={view}
          days={ofAll}
        />
      )}
    />
  );
  return (
    <>
      <Summary stores={inGroup} together={summed} view={view} />
      <Filters stores={stores.length} groups={groups} />
      {shown.length === 0 && <NotFound onClear={() => choose({ search: '', group: undefined })} />}
      {trouble.length > 0 && (
        <section class="card rows trouble-rows">
          <h2>{text.trouble(trouble.length)}</h2>
          <ColumnHeads />
          {rowsOf(text.trouble(trouble.length), trouble)}
        </section>
      )}
      {others.some((store) => !isFolded(store)) && (
        <section class="card rows" aria-label={text.nav.overview}>
          <ColumnHeads />
          {rowsOf(
            text.nav.overview,
            others.filter((store) => !isFolded(store)),
          )}
        </section>
      )}
      {isFolding && <ClosedStores stores={others.filter(isFolded)} rowsOf={rowsOf} />}
    </>
  );
}

/** In the wanted order, which does not change with every visitor: rows would move away under the pointer. */
function useArranged(stores: readonly CompanyStore[], answer: object): CompanyStore[] {
  const { search, group, sort } = wanted.value;
  const trouble = stores.flatMap(({ store, needsAttention }) => (needsAttention ? [store] : [])).join();
  const order = useMemo(
    () => arrange(stores, { search, group, sort }).map(({ store }) => store),
    [answer, search, group, sort, trouble],
  );
  const byId = new Map(stores.map((one) => [one.store, one]));
  return order.flatMap((sid) => byId.get(sid) ?? []);
}

/** The heads of the columns sort by them; the same head again lists first what needs attention. */
function ColumnHeads() {
  const head = (sort: Wanted['sort'], title: string) => (
    <span class={sort === 'name' ? '' : 'end'}>
      <button
        type="button"
        class="sorter"
        aria-pressed={wanted.value.sort === sort}
        onClick={() => choose({ sort: wanted.value.sort === sort ? 'attention' : sort })}
      >
        {title}
      </button>
    </span>
  );
  return (
    <div class="column-heads">
      <span />
      {head('name', text.words.store)}
      <span />
      {head('visitors', text.words.count)}
      {head('change', text.words.change)}
      {head('inside', text.insideNow)}
    </div>
  );
}

interface ClosedStoresProps {
  readonly stores: readonly CompanyStore[];
  readonly rowsOf: (label: string, stores: readonly CompanyStore[]) => preact.ComponentChildren;
}

/** Stores that are closed now, folded: a line with what they have counted today. On paper there are all of them. */
function ClosedStores({ stores, rowsOf }: ClosedStoresProps) {
  const isOpen = useSignal(false);
  if (stores.length === 0) return null;
  const label = text.stores.closedNow(stores.length);
  return (
    <section class="card rows">
      <h2 class="on-paper">{label}</h2>
      <button
        type="button"
        class="quiet fold"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        <Glyph name={isOpen.value ? 'down' : 'forward'} />
        <span>{label}</span>
        <span class="figure small">{`${text.words.count}: ${number(totalOf(stores).visitors)}`}</span>
      </button>
      {(isOpen.value || isPrinting.value) && rowsOf(label, stores)}
    </section>
  );
}
