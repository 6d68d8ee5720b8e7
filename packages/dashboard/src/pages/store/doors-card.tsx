import type { Corrected, Obstacle, Occupancy } from '../../data/shapes.ts';
import type { DoorCounts, Visitors } from '../../data/visitors.ts';
import type { View } from '../../parts/address.ts';
import { Card, Name, Track } from '../../parts/card.tsx';
import { Change } from '../../parts/change.tsx';
import { compareLabel } from '../../parts/range-picker.tsx';
import { Table } from '../../parts/table.tsx';
import { obstacleText, Trouble } from '../../status/condition.tsx';
import { doorName, givenName } from '../../status/door-names.ts';
import { bySeverity, severityOf } from '../../status/verdict.ts';
import { numberOrDash, percent } from '../../text/locale.ts';
import { text } from '../../text/text.ts';

interface DoorsCardProps {
  readonly doors: readonly DoorCounts[];
  /** Of the same days, with those that they are compared with. */
  readonly answer: Visitors;
  readonly view: View;
  /** What is wrong in the time that is shown. */
  readonly obstacles: readonly Obstacle[];
  /** Where the doors are of today: in minus out is compared with it. */
  readonly inside?: Occupancy | undefined;
  /** What staff have set in this time. */
  readonly corrections: readonly Corrected[];
}

/** People in and out at each door, if the store has any, and why in minus out may differ from the people inside. */
export function DoorsCard({ doors, answer, view, obstacles, inside, corrections }: DoorsCardProps) {
  if (doors.length === 0) return null;
  const came = doors.reduce((sum, door) => sum + door.in, 0);
  const inOf = (door: DoorCounts) => door.in;
  /* Where the compared period lacks times, in is of more times than before. */
  const isComparable = answer.total.comparable === answer.total.visitors;
  const problemsAt = (door: DoorCounts) =>
    bySeverity(obstacles.filter(({ device }) => device === door.device));
  const columns = [
    {
      title: text.door,
      value: nameOf,
      cell: (door: DoorCounts) => <Door door={door} problems={problemsAt(door)} />,
    },
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
            title: `${text.doors.in}, ${compareLabel(view)}`,
            isNumber: true,
            value: (door: DoorCounts) => door.before,
            cell: (door: DoorCounts) => before(door, isComparable, problemsAt(door)),
          },
        ]),
  ];
  return (
    <Card title={text.doors.heading} class="doors">
      <Table label={text.doors.heading} columns={columns} rows={doors} keyOf={({ device }) => device} />
      {inside && <p class="small">{whyInside(inside, corrections.at(-1))}</p>}
    </Card>
  );
}

const nameOf = ({ device, name }: DoorCounts) => doorName({ serial: device, name });

/** Why in minus out is not the number of people inside; nothing if it is, or if the cause is not known. */
function whyInside({ today, occupancy }: Occupancy, corrected: Corrected | undefined): string | undefined {
  if (today === undefined || today.in - today.out === occupancy) return undefined;
  const { in: came, out: left } = today;
  if (corrected) return text.whyInside.set(came, left, occupancy, corrected.by);
  return occupancy > came - left ? text.whyInside.floor(came, left, occupancy) : undefined;
}

interface DoorProps {
  readonly door: DoorCounts;
  readonly problems: readonly Obstacle[];
}

function Door({ door: { device, name }, problems: [problem] }: DoorProps) {
  const named = { serial: device, name };
  return (
    <>
      <Name>{doorName(named)}</Name>
      {problem && <Trouble severity={severityOf(problem)} words={obstacleText(problem, givenName(named))} />}
    </>
  );
}

function before(door: DoorCounts, isComparable: boolean, problems: readonly Obstacle[]) {
  return (
    <>
      {numberOrDash(door.before)}{' '}
      {isComparable && <Change now={door.in} before={door.before} gap={problems[0]?.kind} />}
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
