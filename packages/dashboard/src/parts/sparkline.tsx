/** The course of a number in a few strokes, for the eye only: what it means is said beside it. */
export function Sparkline({ values }: { readonly values: readonly number[] }) {
  if (values.length < 2) return <div class="sparkline" />;
  const top = Math.max(1, ...values);
  const points = values.map((value, index) => {
    const x = (100 * index) / (values.length - 1);
    return `${x.toFixed(1)},${(28 - (26 * value) / top).toFixed(1)}`;
  });
  return (
    <svg class="sparkline" viewBox="0 0 100 30" preserveAspectRatio="none" aria-hidden="true">
      <polyline points={points.join(' ')} />
    </svg>
  );
}
