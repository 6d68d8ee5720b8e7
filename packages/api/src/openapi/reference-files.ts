import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** A file that the reference page is made of. */
export interface ReferenceFile {
  readonly path: string;
  /** Where it lies. */
  readonly file: string;
  readonly mediaType: string;
}

const renderer = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const script = 'text/javascript; charset=utf-8';

/** The page first, then what it loads; nothing of it comes from another host. */
export const referenceFiles: readonly ReferenceFile[] = [
  {
    path: '/reference',
    file: join(import.meta.dirname, 'reference-page.html'),
    mediaType: 'text/html; charset=utf-8',
  },
  {
    path: '/reference/start-reference.js',
    file: join(import.meta.dirname, 'start-reference.js'),
    mediaType: script,
  },
  ...[
    { name: 'swagger-ui-bundle.js', mediaType: script },
    { name: 'swagger-ui.css', mediaType: 'text/css; charset=utf-8' },
    { name: 'favicon-32x32.png', mediaType: 'image/png' },
  ].map(({ name, mediaType }) => ({ path: `/reference/${name}`, file: join(renderer, name), mediaType })),
];
