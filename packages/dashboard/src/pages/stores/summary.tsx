import type { View } from '../../parts/address.ts';
import { Change } from '../../parts/change.tsx';
import { compareLabel } from '../../parts/range-picker.tsx';
import { bySeverity, severityOf } from '../../status/verdict.ts';
import { period } from '../../text/dates.ts';
import { number } from '../../text/locale.ts';
import { text } from '../../text/text.ts';
import { type CompanyStore, totalOf } from './company-stores.ts';

interface SummaryProps {
  /** The stores that are shown, of the whole company or of a group, each by its own days. */
  readonly stores: readonly CompanyStore[];
  /** The same stores, all by the same days. */
  readonly together: readonly CompanyStore[];
  readonly view: View;
}

/** The visitors of all stores together, and how the stores are now. */
export function Summary({ stores, together, view }: SummaryProps) {
  const { visitors, comparable, before, gap } = totalOf(together);
  const uncompared = together.filter((store) => store.before === null && store.visitors > 0).length;
  const [first] = together;
  /* Until the days of all stores are known, each store has its own. */
  const isOneDay = together.every(({ to }) => to === first?.to);
  const others = stores.filter(({ to }) => to !== first?.to).length;
  const inside = stores.reduce((sum, store) => sum + store.occupancy, 0);
  const trouble = stores.filter(({ needsAttention }) => needsAttention).length;
  const worst = bySeverity(stores.flatMap(({ problems }) => problems)).map(severityOf)[0];
  const open = stores.filter((store) => store.open !== false).length;
  const incomplete = together.filter((store) => store.incomplete.length > 0).length;
  return (
    <dl class="card company-figures">
      <div>
        <dt>{text.words.count}</dt>
        <dd data-total="visitors">
          <b class="figure">
            {isOneDay && !together.every(({ hasNoData }) => hasNoData) ? number(visitors) : '–'}
          </b>{' '}
          {isOneDay && <Change now={comparable} before={before} gap={gap} />}
        </dd>
        {isOneDay && before !== null && (
          <dd class="small">
            {compareLabel(view)}
            {view.range === 'today' && `, ${text.stores.byNow}`}: {number(before)}
          </dd>
        )}
        {before === null && <dd class="small">{text.figures.noneBefore}</dd>}
        {isOneDay && comparable !== null && comparable !== visitors && (
          <dd class="small">
            {uncompared > 0
              ? text.stores.compared(number(comparable), uncompared)
              : text.figures.comparable(comparable)}
          </dd>
        )}
        {isOneDay && first && others > 0 && (
          <dd class="small">{text.stores.otherDays(period(first.from, first.to), others)}</dd>
        )}
        {incomplete > 0 && <dd class="small">{text.stores.incompleteStores(incomplete)}</dd>}
      </div>
      <div>
        <dt>{text.insideNow}</dt>
        <dd data-total="inside">
          <b class="figure">{number(inside)}</b>
        </dd>
      </div>
      <div>
        <dt>{text.nav.overview}</dt>
        <dd data-total="stores">
          <b class="figure">{number(stores.length)}</b>
        </dd>
        {open < stores.length && <dd class="small">{text.stores.closedNow(stores.length - open)}</dd>}
        {(trouble > 0 || stores.some(({ isPresent }) => isPresent)) && (
          <dd class={trouble > 0 ? `small trouble ${worst ?? 'warning'}` : 'small'}>
            {trouble > 0 ? text.trouble(trouble) : text.healthy}
          </dd>
        )}
      </div>
    </dl>
  );
}
