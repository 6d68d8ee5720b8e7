import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Markup, markup } from '../../formats/xml.ts';

const style = readFileSync(new URL('./page.css', import.meta.url), 'utf8');
const script = readFileSync(new URL('./page.js', import.meta.url), 'utf8');

/**
 * Allows only this style, this script and requests to this service. So text from a name or a header field that became
 * markup would neither run nor be sent to another server.
 */
const policy = [
  "default-src 'none'",
  `style-src '${hashOf(style)}'`,
  `script-src '${hashOf(script)}'`,
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The header fields of every page. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
};

/** A whole page: style and script are part of it, so that it is one request. */
export function htmlPage(title: string, body: Markup): string {
  const document = markup`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${new Markup(style)}</style>
</head>
<body>${body}
<script>${new Markup(script)}</script>
</body>
</html>
`;
  return `<!DOCTYPE html>\n${document.text}`;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** A description from a schema: text between backticks is code. */
export function prose(text: string): Markup[] {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 1 ? markup`<code>${part}</code>` : markup`${part}`));
}
