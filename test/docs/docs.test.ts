import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const pages = [
  'llms.txt',
  ...readdirSync(root).filter((file) => file.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
];

const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');

test.each(pages)('%s names only files that exist', (page) => {
  const paths = [...textOf(page).matchAll(/(?<=`)(?:packages|test|bench|docs)\/[\w./-]+(?=`)/g)];
  expect(paths.map(([path]) => path).filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test.each(pages)('%s links only to pages and headings that exist', (page) => {
  const links = [...textOf(page).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
  const wrong = links.filter(([, file, heading]) => {
    const target = file ? join(dirname(page), file) : page;
    if (!existsSync(join(root, target))) return true;
    return heading !== undefined && !headingsOf(textOf(target)).includes(heading);
  });
  expect(wrong.map(([link]) => link)).toEqual([]);
});

test('llms.txt lists every page', () => {
  const listed = textOf('llms.txt');
  const guides = pages.filter((page) => /^docs\/(?!decisions\/\d)/.test(page));
  expect(guides.filter((page) => !listed.includes(`](${page})`))).toEqual([]);
});

test.each(pages)('%s passes no secret as an argument, and none that the history of a shell keeps', (page) => {
  const lines = textOf(page)
    .split('\n')
    .filter((line) => /^\s*(sudo |npx |[A-Z_]+=\S+ )/.test(line));
  const wrong = lines.filter((line) =>
    /--(secret|value|url|wifi|code) |sudo [A-Z_]*_URL=|PASSPHRASE=/.test(line),
  );
  expect(wrong).toEqual([]);
});

/** The anchors of a page's headings, as GitHub makes them. */
function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
