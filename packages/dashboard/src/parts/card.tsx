import type { ComponentChildren, HTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';
import { Glyph, type GlyphName } from './glyph.tsx';

interface CardProps {
  readonly title: ComponentChildren;
  /** Buttons and links to the right of the title. */
  readonly actions?: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A section of a page, named by its title. */
export function Card({ title, actions, class: more = '', children }: CardProps) {
  const id = useId();
  return (
    <section class={`card ${more}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  );
}

type Tone = 'plain' | 'good' | 'warn' | 'bad';

const glyphOf: Readonly<Record<Tone, GlyphName>> = {
  plain: 'info',
  good: 'well',
  warn: 'warning',
  bad: 'warning',
};

/** A state in a word or two. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

interface NoticeProps {
  readonly tone: Tone;
  /** `alert` is read out immediately, `status` after what is being read. */
  readonly role?: 'alert' | 'status';
  readonly children: ComponentChildren;
}

/** A message about the part of the page that contains it. */
export function Notice({ tone, role, children }: NoticeProps) {
  return (
    <div class={`notice ${tone}`} role={role}>
      <Glyph name={glyphOf[tone]} />
      <div>{children}</div>
    </div>
  );
}

/** Shown instead of an empty list or chart: what would be here, and how it gets here. */
export function Empty({
  glyph,
  children,
}: {
  readonly glyph: GlyphName;
  readonly children: ComponentChildren;
}) {
  return (
    <div class="empty">
      <Glyph name={glyph} />
      <div>{children}</div>
    </div>
  );
}

interface TrackProps extends HTMLAttributes<HTMLSpanElement> {
  readonly ratio: number;
}

/** A part of a whole as a bar; more than the whole fills it. Without a role it is for the eyes only. */
export function Track({ ratio, ...attributes }: TrackProps) {
  return (
    <span class="track" aria-hidden={attributes.role ? undefined : 'true'} {...attributes}>
      <span style={{ width: `${Math.min(100, 100 * ratio)}%` }} />
    </span>
  );
}

/** A name that people have chosen: of any length, in any script. */
export function Name({ children }: { readonly children: string }) {
  return (
    <bdi class="name-cut" title={children}>
      {children}
    </bdi>
  );
}
