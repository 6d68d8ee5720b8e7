import { Glyph } from './glyph.tsx';

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onSearch: (search: string) => void;
}

/** A field in which users type what they look for; the page shows matches immediately. */
export function SearchField({ label, value, onSearch }: SearchFieldProps) {
  return (
    <label class="search">
      <Glyph name="search" />
      <span class="hidden">{label}</span>
      <input
        type="search"
        placeholder={label}
        value={value}
        onInput={({ currentTarget }) => onSearch(currentTarget.value)}
      />
    </label>
  );
}
