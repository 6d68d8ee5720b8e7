import { useMemo } from 'preact/hooks';
import { kept } from '../../data/kept.ts';
import type { LiveState } from '../../data/live.ts';
import { PageHeading } from '../../frame/page-heading.tsx';
import { hrefOf, today, type View } from '../../parts/address.ts';
import { Badge, Empty } from '../../parts/card.tsx';
import { Glyph } from '../../parts/glyph.tsx';
import { RangePicker } from '../../parts/range-picker.tsx';
import { Morning } from '../../status/morning.tsx';
import { closedText, useOpening } from '../../status/store-state.tsx';
import { text } from '../../text/text.ts';
import { StaffTap } from './staff-tap.tsx';
import { isPresent, LastVisit, StoreReport } from './store-report.tsx';
import { Doubts } from './trust-card.tsx';

interface StorePageProps {
  readonly live: LiveState;
  readonly sid: string;
  readonly view: View;
}

/** One store: its visitors in a range of time, doors, hours of the week, and whether the numbers can be trusted. */
export function StorePage({ live, sid, view }: StorePageProps) {
  const href = hrefOf({ page: 'store', sid, view });
  const last = useMemo(() => kept('store', LastVisit), [href]);
  const before = last?.value.href === href ? last : undefined;
  const current = live.store(sid);
  const areStoresKnown = live.freshAt.value !== undefined;
  const name = current?.name ?? (areStoresKnown ? undefined : before?.value.store.name);
  const opening = useOpening(live, sid);
  const isOnlyStore = live.stores.value.length === 1;
  const back = isOnlyStore
    ? undefined
    : { href: hrefOf({ page: 'overview', view: today }), label: text.words.allStores };
  if (name === undefined) {
    if (!areStoresKnown) return <p>{text.loading}</p>;
    return (
      <>
        <PageHeading title={text.unknown} back={back} />
        <Empty glyph="search">
          <p>{text.store.ask}</p>
        </Empty>
      </>
    );
  }
  return (
    <article class="store">
      <PageHeading title={name} back={back}>
        <div class="row">
          {current && view.range === 'today' && <StaffTap sid={sid} date={current.day.date} />}
          <a class="button" href={hrefOf({ page: 'wall', sid })}>
            <Glyph name="screen" />
            {text.store.wall}
          </a>
        </div>
      </PageHeading>
      {current && opening?.open === false && (
        <p class="closed-now">
          <Badge tone="plain">{closedText(opening, current.day.date)}</Badge>
        </p>
      )}
      {current && isPresent(view, current) && <Doubts obstacles={current.obstacles} />}
      <RangePicker
        view={view}
        today={current?.day.date ?? ''}
        hrefOf={(next) => hrefOf({ page: 'store', sid, view: next })}
      />
      {(view.range === 'today' || view.range === 'yesterday') && (
        <Morning key={sid} sid={sid} today={current?.day.date} />
      )}
      <StoreReport key={href} {...{ href, live, current, opening, before, view }} />
    </article>
  );
}
