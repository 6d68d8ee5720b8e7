import { Glyph } from '../../parts/glyph.tsx';
import { text } from '../../text/text.ts';

interface RemoveButtonProps {
  /** What is removed, for screen readers. */
  readonly label: string;
  readonly onRemove: () => void;
}

/** Removes an item from a list. */
export function RemoveButton({ label, onRemove }: RemoveButtonProps) {
  return (
    <button type="button" class="quiet icon" aria-label={label} title={text.remove} onClick={onRemove}>
      <Glyph name="close" />
    </button>
  );
}
