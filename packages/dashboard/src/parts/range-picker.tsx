import { period } from '../text/dates.ts';
import { text } from '../text/text.ts';
import {
  type Compare,
  comparisons,
  type Days,
  isDate,
  namedRanges,
  type Range,
  usualCompare,
  type View,
} from './address.ts';
import { DialogButton } from './dialog.tsx';
import { Field } from './fields.tsx';
import { Form } from './form.tsx';
import { Glyph } from './glyph.tsx';
import { Menu } from './menu.tsx';

interface RangePickerProps {
  readonly view: View;
  /** The present business day, which is the last that can be chosen. */
  readonly today: string;
  /** The address of this page with another view. */
  readonly hrefOf: (view: View) => string;
}

/** Chooses the time that a page shows, and what it is compared with; both are in the address. */
export function RangePicker({ view, today, hrefOf }: RangePickerProps) {
  const { range } = view;
  const isCustom = typeof range === 'object';
  const hrefOfRange = (next: Range) => hrefOf({ range: next, compare: keptCompare(view, next) });
  return (
    <div class="range-picker">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot scroll sideways */}
      <div class="segmented" role="group" aria-label={text.ranges.label}>
        {namedRanges.map((one) => (
          <a key={one} href={hrefOfRange(one)} aria-current={one === range ? 'true' : undefined}>
            {text.ranges[one]}
          </a>
        ))}
      </div>
      <DialogButton
        label={
          <>
            <Glyph name="calendar" />
            {isCustom ? period(range.from, range.to) : text.ranges.custom}
          </>
        }
        class={isCustom ? 'chosen' : ''}
        title={text.ranges.choose}
        content={(close) => (
          <Dates
            from={isCustom ? range.from : ''}
            to={isCustom ? range.to : today}
            today={today}
            onChosen={(days) => {
              close();
              location.hash = hrefOfRange(days);
            }}
            onCancel={close}
          />
        )}
      />
      <CompareMenu view={view} hrefOf={hrefOf} />
    </div>
  );
}

/** A comparison that was chosen remains; the usual one changes with the range. */
function keptCompare({ range, compare }: View, next: Range): Compare {
  return compare === usualCompare(range) ? usualCompare(next) : compare;
}

/** What a view is compared with. */
export function compareLabel({ compare, range }: View): string {
  const { previous, weekdays, dayBefore, weekBefore, yearBefore } = text.ranges;
  const isOneDay =
    typeof range === 'object' ? range.from === range.to : range === 'today' || range === 'yesterday';
  if (compare === 'year') return yearBefore;
  if (compare === 'previous') return isOneDay ? dayBefore : previous;
  return isOneDay ? weekBefore : weekdays;
}

function CompareMenu({ view, hrefOf }: Pick<RangePickerProps, 'view' | 'hrefOf'>) {
  return (
    <Menu
      button={
        <>
          <span class="compare-label hidden">{text.ranges.compare}</span>
          {compareLabel(view)}
          <Glyph name="down" />
        </>
      }
    >
      {comparisons.map((compare) => (
        <a
          key={compare}
          href={hrefOf({ ...view, compare })}
          aria-current={compare === view.compare ? 'true' : undefined}
        >
          {compareLabel({ ...view, compare })}
        </a>
      ))}
    </Menu>
  );
}

interface DatesProps {
  readonly from: string;
  readonly to: string;
  readonly today: string;
  readonly onChosen: (days: Days) => void;
  readonly onCancel: () => void;
}

function Dates({ from, to, today, onChosen, onCancel }: DatesProps) {
  const choose = async (given: FormData) => {
    const days = { from: String(given.get('from')), to: String(given.get('to')) };
    if (!isDate(days.from) || !isDate(days.to) || days.from > days.to) throw new RangeError();
    onChosen(days);
  };
  return (
    <Form onSubmit={choose} submit={text.ranges.show} whyNot={() => text.ranges.order} onCancel={onCancel}>
      <div class="columns">
        <Field label={text.ranges.from} name="from" type="date" required defaultValue={from} max={today} />
        <Field label={text.ranges.to} name="to" type="date" required defaultValue={to} max={today} />
      </div>
    </Form>
  );
}
