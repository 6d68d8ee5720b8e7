interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  /** Each with its name. */
  readonly options: readonly (readonly [Value, string])[];
  readonly onChoose: (value: Value) => void;
}

/** A field with a list of values, of which one is chosen. */
export function Choice<Value extends string>({ label, value, options, onChoose }: ChoiceProps<Value>) {
  const choose = (given: string) => {
    const found = options.find(([one]) => one === given);
    if (found) onChoose(found[0]);
  };
  return (
    <label class="field">
      {label}
      <select value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        {options.map(([one, name]) => (
          <option key={one} value={one}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
