/** One choice of several as a select. */
import { Glyph } from './marks.tsx';

export interface ChoiceProps<Value extends string> {
  readonly name: string;
  readonly value: Value;
  readonly choices: readonly (readonly [Value, string])[];
  readonly onChoice: (value: Value) => void;
}

export function Choice<Value extends string>({ name, value, choices, onChoice }: ChoiceProps<Value>) {
  const chosen = (index: number): void => {
    const [found] = choices[index] ?? [];
    if (found !== undefined) onChoice(found);
  };
  return (
    <label class={value === '' ? 'choice' : 'choice on'}>
      <span class="unseen">{name}</span>
      <select value={value} onChange={({ currentTarget }) => chosen(currentTarget.selectedIndex)}>
        {choices.map(([each, word]) => (
          <option key={each} value={each}>
            {word}
          </option>
        ))}
      </select>
      <Glyph name="down" />
    </label>
  );
}
