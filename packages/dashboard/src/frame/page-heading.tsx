import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Glyph } from '../parts/glyph.tsx';
import { text } from '../text/text.ts';
import { beginAt } from './route.ts';

interface PageHeadingProps {
  /** Also the title of the document. */
  readonly title: string;
  /** Follows it in the title of the document, where another page has the same heading. */
  readonly section?: string;
  /** The way back to the page above. */
  readonly back?: { readonly href: string; readonly label: string } | undefined;
  /** What is next to the heading. */
  readonly children?: ComponentChildren;
}

/** Sets the title of the document. */
export function setTitle(title: string, section?: string): void {
  document.title = [title, ...(section ? [section] : []), text.title].join(' · ');
}

/** The heading of a page. It has the focus after the user has followed a link to the page. */
export function PageHeading({ title, section, back, children }: PageHeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (heading.current) beginAt(heading.current);
  }, []);
  useEffect(() => {
    setTitle(title, section);
  }, [title, section]);
  return (
    <div class="page-heading">
      {back && (
        <a class="back" href={back.href}>
          <Glyph name="back" />
          {back.label}
        </a>
      )}
      <div class="row spread">
        <h1 ref={heading} tabIndex={-1}>
          <bdi>{title}</bdi>
        </h1>
        {children}
      </div>
    </div>
  );
}
