import type { Completeness, Obstacle } from '@visitor-counter/database/devices/completeness';

/** Completeness as it is answered, with the instants of its store. */
export function shownHealth({ completeUntil, obstacles }: Completeness, format: (instant: number) => string) {
  return {
    completeUntil: completeUntil === null ? null : format(completeUntil),
    obstacles: obstacles.map((obstacle) => shownObstacle(obstacle, format)),
  };
}

function shownObstacle(obstacle: Obstacle, format: (instant: number) => string): object {
  const since = 'since' in obstacle ? obstacle.since : undefined;
  return since === undefined ? obstacle : { ...obstacle, since: format(since) };
}
