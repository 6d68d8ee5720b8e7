import type { Occupancy } from '../../data/shapes.ts';
import type { DoorCounts, Visitors } from '../../data/visitors.ts';
import { Card, Name, Track } from '../../parts/card.tsx';
import { Change } from '../../parts/change.tsx';
import { Table } from '../../parts/table.tsx';
import { doorName } from '../../status/door-names.ts';
import { plusDays } from '../../text/dates.ts';
import { numberOrDash, percent } from '../../text/locale.ts';
import { text } from '../../text/text.ts';

interface DoorsCardProps {
  readonly doors: readonly DoorCounts[];
  /** Of the same days, with those that they are compared with. */
  readonly answer: Visitors;
  /** Where the doors are of today: in minus out is compared with it. */
  readonly store?: Occupancy | undefined;
}

/** People in and out at each door, if the store has any, and why in minus out may differ from the people inside. */
export function DoorsCard({ doors, answer, store }: DoorsCardProps) {
  if (doors.length === 0) return null;
  const came = doors.reduce((sum, door) => sum + door.in, 0);
  const left = doors.reduce((sum, door) => sum + door.out, 0);
  const inOf = (door: DoorCounts) => door.in;
  const columns = [
    { title: text.door, value: nameOf, cell: (door: DoorCounts) => <Name>{nameOf(door)}</Name> },
    { title: text.doors.in, isNumber: true, value: inOf },
    { title: text.doors.out, isNumber: true, value: (door: DoorCounts) => door.out },
    {
      title: text.doors.share,
      isNumber: true,
      isExtra: true,
      value: inOf,
      cell: (door: DoorCounts) => (came === 0 ? '–' : <Share ratio={door.in / came} />),
    },
    ...(answer.total.before === null
      ? []
      : [
          {
            title: beforeTitle(answer),
            isNumber: true,
            value: (door: DoorCounts) => door.before,
            cell: before,
          },
        ]),
  ];
  return (
    <Card title={text.doors.heading} class="doors">
      <Table label={text.doors.heading} columns={columns} rows={doors} keyOf={({ device }) => device} />
      {store && came - left !== store.occupancy && (
        <p class="small">{text.balance(came, left, store.occupancy)}</p>
      )}
    </Card>
  );
}

/** The head of a column says how much earlier its numbers are. */
function beforeTitle({ from, compared }: Visitors): string {
  const { day, week, year, other } = text.doors.before;
  const isEarlier = (...days: number[]) => days.some((n) => compared?.from === plusDays(from, -n));
  if (isEarlier(1)) return day;
  if (isEarlier(7)) return week;
  return isEarlier(364, 365, 366) ? year : other;
}

const nameOf = ({ device, name }: DoorCounts) => doorName({ serial: device, name });

function before(door: DoorCounts) {
  return (
    <>
      {numberOrDash(door.before)} <Change now={door.in} before={door.before} />
    </>
  );
}

function Share({ ratio }: { readonly ratio: number }) {
  return (
    <span class="share">
      <Track ratio={ratio} />
      {percent(ratio)}
    </span>
  );
}
