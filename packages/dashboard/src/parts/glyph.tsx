/** Outlines on a square of 24, drawn with the colour of the text. */
const outlines = {
  back: 'M15 5l-7 7 7 7',
  forward: 'M9 5l7 7-7 7',
  down: 'M6 9l6 6 6-6',
  up: 'M12 19V6M6 11l6-6 6 6',
  fall: 'M12 5v13M6 13l6 6 6-6',
  well: 'M5 12.5l4.5 4.5L19 7.5',
  warning: 'M12 4l9 16H3zM12 10v4.5M12 17.2v.1',
  info: 'M12 3a9 9 0 100 18 9 9 0 000-18zM12 11v5.5M12 7.7v.1',
  download: 'M12 4v11M7 10.5l5 5 5-5M5 20h14',
  calendar: 'M4 6h16v14H4zM4 10.5h16M8 3.5v4M16 3.5v4',
  globe: 'M12 3a9 9 0 100 18 9 9 0 000-18zM3 12h18M12 3c5 5 5 13 0 18M12 3c-5 5-5 13 0 18',
  people:
    'M9 11a3.5 3.5 0 100-7 3.5 3.5 0 000 7zM2.5 20c0-4 3-6 6.500-6s6.500 2 6.500 6M16 4.500a3.500 3.500 0 010 6M18 14.500c2.200.8 3.500 2.700 3.500 5.500',
  door: 'M6 21V3.500h12V21M3.500 21h17M14 12v.1',
  screen: 'M3.500 5h17v11h-17zM9 20h6M12 16v4',
  search: 'M11 4a7 7 0 100 14 7 7 0 000-14zM16 16l4.500 4.500',
  close: 'M6 6l12 12M18 6L6 18',
  plus: 'M12 5v14M5 12h14',
  pause: 'M8.500 5v14M15.500 5v14',
  play: 'M8 5l11 7-11 7z',
  out: 'M10 5H5v14h5M15 8l4 4-4 4M19 12H9',
} as const;

export type GlyphName = keyof typeof outlines;

/** A small drawing next to words; screen readers read the words only. */
export function Glyph({ name }: { readonly name: GlyphName }) {
  return (
    <svg class="glyph" viewBox="0 0 24 24" aria-hidden="true">
      <path
        d={outlines[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.8"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
