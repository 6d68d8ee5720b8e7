import type { Obstacle } from '../api/shapes.ts';
import { text } from '../text/en.ts';
import { dayAndTimeIn } from '../text/times.ts';

interface HealthProps {
  readonly obstacles: readonly Obstacle[];
  readonly completeUntil: string | null;
  readonly timeZone?: string | undefined;
}

/** Whether the number of a store can be trusted, in a line for its card. */
export function HealthMark({ obstacles }: Pick<HealthProps, 'obstacles'>) {
  const [first, ...more] = obstacles;
  if (first === undefined) return <p class="health well">{text.healthy}</p>;
  return (
    <p class="health doubtful">
      {text.obstacle(first)}
      {more.length > 0 && ` (+${more.length})`}
    </p>
  );
}

/** Whether the number of a store can be trusted, with all reasons. */
export function HealthList({ obstacles, completeUntil, timeZone }: HealthProps) {
  return (
    <>
      <p class={obstacles.length === 0 ? 'health well' : 'health doubtful'}>
        {obstacles.length === 0 ? text.healthy : text.doubtful}
      </p>
      <ul class="obstacles">
        {obstacles.map((obstacle) => (
          <li key={JSON.stringify(obstacle)}>
            {text.obstacle(obstacle)}
            {obstacle.since && ` ${text.since(dayAndTimeIn(obstacle.since, timeZone))}`}
          </li>
        ))}
      </ul>
      <p class="small">
        {completeUntil === null
          ? text.completeUnknown
          : text.completeUntil(dayAndTimeIn(completeUntil, timeZone))}
      </p>
    </>
  );
}
