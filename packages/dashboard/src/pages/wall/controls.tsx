import { Glyph } from '../../parts/glyph.tsx';
import { text } from '../../text/text.ts';

interface ControlsProps {
  /** The address of the page that the wall belongs to. */
  readonly back: string;
  readonly turns: {
    readonly isPaused: boolean;
    readonly turnBy: (pages: number) => void;
    readonly pause: () => void;
  };
  readonly pages: number;
}

/** Buttons for the person who sets up the screen; hidden while nobody moves the pointer. */
export function Controls({ back, turns, pages }: ControlsProps) {
  return (
    <div class="controls">
      <a class="button" href={back}>
        <Glyph name="close" />
        {text.wall.leave}
      </a>
      {document.fullscreenEnabled && (
        <button type="button" onClick={switchFullScreen}>
          <Glyph name="screen" />
          {text.wall.fullScreen}
        </button>
      )}
      {pages > 1 && (
        <>
          <IconButton glyph="back" label={text.wall.previous} onClick={() => turns.turnBy(-1)} />
          <IconButton
            glyph={turns.isPaused ? 'play' : 'pause'}
            label={turns.isPaused ? text.goOn : text.wall.pause}
            onClick={turns.pause}
          />
          <IconButton glyph="forward" label={text.wall.next} onClick={() => turns.turnBy(1)} />
        </>
      )}
    </div>
  );
}

interface IconButtonProps {
  readonly glyph: 'back' | 'forward' | 'play' | 'pause';
  readonly label: string;
  readonly onClick: () => void;
}

function IconButton({ glyph, label, onClick }: IconButtonProps) {
  return (
    <button type="button" class="icon" aria-label={label} title={label} onClick={onClick}>
      <Glyph name={glyph} />
    </button>
  );
}

function switchFullScreen(): void {
  const isFull = document.fullscreenElement !== null;
  void (isFull ? document.exitFullscreen() : document.documentElement.requestFullscreen()).catch(() => {});
}

/** The most pages that have a dot each. */
const mostDots = 12;

/** Which page of how many is shown; always visible, so that readers know that there are more stores. */
export function PageMark({ page, pages }: { readonly page: number; readonly pages: number }) {
  if (pages < 2) return null;
  return (
    <p class="page-mark">
      {pages <= mostDots && (
        <span class="dots" aria-hidden="true">
          {Array.from({ length: pages }, (_, index) => (
            <i key={index} class={index === page ? 'here' : ''} />
          ))}
        </span>
      )}
      <span class="figure">{text.wall.page(page + 1, pages)}</span>
    </p>
  );
}
