interface Segment<Value> {
  readonly value: Value;
  readonly label: string;
  /** The address of a choice that is part of the address; otherwise the segments are buttons. */
  readonly href?: string;
}

interface SegmentedProps<Value> {
  /** The name of the whole choice. */
  readonly label: string;
  readonly segments: readonly Segment<Value>[];
  readonly value: Value | undefined;
  readonly onChoose?: (value: Value) => void;
}

/** A choice of one among a few. */
export function Segmented<Value>({ label, segments, value, onChoose }: SegmentedProps<Value>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot scroll sideways
    <div class="segmented" role="group" aria-label={label}>
      {segments.map((segment) =>
        segment.href === undefined ? (
          <button
            type="button"
            key={segment.label}
            aria-pressed={segment.value === value}
            onClick={() => onChoose?.(segment.value)}
          >
            {segment.label}
          </button>
        ) : (
          <a
            key={segment.label}
            href={segment.href}
            aria-current={segment.value === value ? 'true' : undefined}
          >
            {segment.label}
          </a>
        ),
      )}
    </div>
  );
}
