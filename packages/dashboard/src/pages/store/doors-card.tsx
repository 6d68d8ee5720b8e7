import type { Corrected, Obstacle, Occupancy } from '../../data/shapes.ts';
import type { DoorCounts, Visitors } from '../../data/visitors.ts';
import type { View } from '../../parts/address.ts';
import { Card, Name, Track } from '../../parts/card.tsx';
import { Change } from '../../parts/change.tsx';
import { compareLabel } from '../../parts/range-picker.tsx';
import { type Column, Table } from '../../parts/table.tsx';
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
export function DoorsCard(props: DoorsCardProps) {
  const { doors, inside, corrections } = props;
  if (doors.length === 0) return null;
  return (
    <Card title={text.doors.heading} class="doors">
      <Table
        label={text.doors.heading}
        columns={columnsOf(props)}
        rows={doors}
        keyOf={({ device }) => device}
      />
      {inside && <p class="small">{whyInside(inside, corrections.at(-1))}</p>}
    </Card>
  );
}

function columnsOf({ doors, answer, view, obstacles }: DoorsCardProps): Column<DoorCounts>[] {
  const came = doors.reduce((sum, door) => sum + door.in, 0);
  /* Where the compared period lacks times, in is of more times than before. */
  const isComparable = answer.total.comparable === answer.total.visitors;
  const problemAt = (door: DoorCounts) =>
    bySeverity(obstacles.filter(({ device }) => device === door.device))[0];
  const nameCell = (door: DoorCounts) => {
    const problem = problemAt(door);
    const words = problem && obstacleText(problem, givenName(named(door)));
    return (
      <>
        <Name>{doorName(named(door))}</Name>
        {words && <Trouble severity={severityOf(problem)} words={words} />}
      </>
    );
  };
  const shareCell = (door: DoorCounts) => (
    <span class="share">
      <Track ratio={door.in / came} />
      {percent(door.in / came)}
    </span>
  );
  const beforeCell = (door: DoorCounts) => (
    <>
      {numberOrDash(door.before)}{' '}
      {isComparable && <Change now={door.in} before={door.before} gap={problemAt(door)?.kind} />}
    </>
  );
  const counts = { isNumber: true, value: (door: DoorCounts) => door.in };
  return [
    { title: text.door, value: (door) => doorName(named(door)), cell: nameCell },
    { title: text.doors.in, ...counts },
    { title: text.doors.out, isNumber: true, value: (door) => door.out },
    { title: text.doors.share, ...counts, isExtra: true, cell: came === 0 ? () => '–' : shareCell },
    ...(answer.total.before === null
      ? []
      : [
          {
            title: `${text.doors.in}, ${compareLabel(view)}`,
            isNumber: true,
            value: (door: DoorCounts) => door.before,
            cell: beforeCell,
          },
        ]),
  ];
}

const named = ({ device, name }: DoorCounts) => ({ serial: device, name });

/** Why in minus out is not the number of people inside; nothing if it is, or if the cause is not known. */
function whyInside({ today, occupancy }: Occupancy, corrected: Corrected | undefined): string | undefined {
  if (today === undefined || today.in - today.out === occupancy) return undefined;
  const { in: came, out: left } = today;
  if (corrected) return text.whyInside.set(came, left, occupancy, corrected.by);
  return occupancy > came - left ? text.whyInside.floor(came, left, occupancy) : undefined;
}
