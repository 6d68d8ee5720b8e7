import { otherBeam } from '../beams/beams.ts';
import type { Path } from './path.ts';

/** Records which beams a path has broken, in order, for the installer who aligns them. */
export class PathTrail {
  #places: string[] = [];
  /** The beams that the last completed path broke, such as `a, both, b`; empty before the first path. */
  last = '';

  /** Adds the present position of a path. */
  enter(path: Path): void {
    const place = placeOf(path);
    if (place !== undefined && place !== this.#places.at(-1)) this.#places.push(place);
  }

  end(): void {
    this.last = this.#places.join(', ');
    this.#places = [];
  }
}

/** The beams that are broken. */
function placeOf(path: Path): string | undefined {
  if (!('near' in path)) return undefined;
  if (path.phase.startsWith('both')) return 'both';
  if (path.phase.startsWith('near')) return path.near;
  return otherBeam(path.near);
}
